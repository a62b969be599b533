export type { Mark } from '@pit/platform/reads'
export {
  CANDLE_INTERVALS,
  type CandleInterval,
  readCandles,
} from './candles/readCandles.ts'
export { readOverview } from './candles/readOverview.ts'
export * from './pools/markReads.ts'
export { type Market, openMarket, watchMarket } from './pools/openMarket.ts'
export type { AnyPool } from './pools/poolLogs.ts'
export { crossMid, type MidDeps, referenceMid } from './pools/referenceMid.ts'
export { auditRisks, withAudit } from './tokens/auditRisks.ts'
export type { TokenDeps, TokenMarket } from './tokens/deps.ts'
export { hasStockRules, type StoredRecord } from './tokens/describeToken.ts'
export { openTokens, type TokenOptions, type Tokens } from './tokens/openTokens.ts'
export type { Audited } from './tokens/readAudit.ts'
export type { RecordNow } from './tokens/registry.ts'
export { type RegistryText, registryTexts } from './tokens/store.ts'
