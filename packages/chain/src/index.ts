export { bytesEqual, bytesToHex, hexToBytes, tryHexToBytes } from './bytes/hex.ts'
export * from './crypto/index.ts'
