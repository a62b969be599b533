export { type Address, bytesEqual, bytesToHex, type Hex, hexToBytes, tryHexToBytes } from './bytes/hex.ts'
export * from './crypto/index.ts'
export * from './rlp/index.ts'
export * from './router/index.ts'
