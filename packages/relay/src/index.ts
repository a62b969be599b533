export { traceEther } from '@pit/platform/reads'
export type { MinedTrade, RelayDeps } from './deps.ts'
export * from './feeReads.ts'
export * from './hostedTrades.ts'
export { openRelay, type Relay } from './openRelay.ts'
export { saysKnown, sendRaw, viewChain } from './sendRaw.ts'
export type { StorePlanRequest, StoreRevocationRequest } from './storePlan.ts'
export type { SubmitBytes, SubmitParams, Submitted } from './submitBytes.ts'
export * from './tradeReads.ts'
export type { FeeTerms, RelayOutcome, RelayRequest, SignedBytes, Trader, TradeTerms } from './types.ts'
export {
  addRefused,
  deleteRefusedBefore,
  type RefusedRow,
  type StoredTrade,
  tradedTokens,
  tradesPage,
  trimRefused,
  volumeSince,
} from './walletTrades.ts'
