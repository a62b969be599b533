export type { TradeDeps } from './deps.ts'
export { openTrade, type Trade } from './openTrade.ts'
export type { PlanAsk, Planned, PlanTerms } from './plan/index.ts'
export type * from './types.ts'
