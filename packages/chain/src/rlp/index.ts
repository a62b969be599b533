export { type ParsedTx, parseSignedTx } from './parseSignedTx.ts'
export {
  authorityOf,
  authorizationHash,
  hashTx,
  senderOf,
  serializeTx,
  serializeUnsignedTx,
  signAuthorization,
  signingHash,
  signTx,
} from './signTx.ts'
export type {
  AccessList,
  Authorization,
  FeeMarketTx,
  SetCodeTx,
  SignedAuthorization,
  SignedTx,
  TxFault,
  UnsignedTx,
} from './types.ts'
