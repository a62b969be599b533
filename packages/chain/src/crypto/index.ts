export { sameAddress, sortsBefore } from './address.ts'
export { type Bytes, type Crypto, createCrypto, type Hashing } from './createCrypto.ts'
export type { CurveName } from './curve.ts'
export { isLowS, type Signature, serializeSignature, splitSignature } from './signature.ts'
