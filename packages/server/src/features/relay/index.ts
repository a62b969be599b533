export type { RelayDeps } from './deps.ts'
export { openRelay, type Relay } from './openRelay.ts'
export type { StorePlanAsk, StoreRevocationAsk } from './storePlan.ts'
export type { FeeTerms, RelayAsk, RelayOutcome, SignedBytes, TradeTerms } from './types.ts'
