export { delegationAddresses, delegationOf } from './addresses.ts'
export { NOT_ENFORCED_ON_CHAIN, type NotEnforced, ON_CHAIN_BOUNDS, type OnChainBound } from './bounds.ts'
export { type CaveatTerms, decodeCaveat, encodeCaveat } from './caveats.ts'
export { type CaveatInWords, describeCaveats } from './describe.ts'
export { decodeDelegations, encodeDelegations } from './encode.ts'
export {
  delegationDigest,
  delegationDomainHash,
  delegationHash,
  delegationTypedData,
  ROOT_AUTHORITY,
} from './hash.ts'
export {
  curveLeaf,
  feeLeaf,
  LEAF_TTL_S,
  type LeafTerms,
  leafId,
  payFee,
  readLeaf,
  sessionLeaf,
} from './leaf.ts'
export {
  type DecodedRedeem,
  decodeRedeem,
  encodeDisable,
  encodeEnable,
  encodeRedeem,
  type RedeemFault,
} from './redeem.ts'
export { REDEEMED_TOPIC, redemptionIn } from './redemption.ts'
export { refuseMalformed } from './refuseMalformed.ts'
export { buildRoot, type EthCaps, type RootTerms, readRoot, type SessionRoot } from './root.ts'
export { curveRoots, type RootBinding, type RootRequest, rootDiffs, sessionRoot } from './sessionRoots.ts'
export { delegationSigner, normalizeSignature, signDelegation } from './sign.ts'
export type { Caveat, Delegation, DelegationAddresses, EnforcerName, Execution, Redemption } from './types.ts'
export { ENFORCERS } from './types.ts'
export { endAllCall, readNonceCall } from './walletNonce.ts'
