import type { TradeDeps } from '../deps.ts'
import type { Quoter } from '../quote/index.ts'
import type { Simulator } from '../simulate/index.ts'
import type { TradeAddresses } from './addresses.ts'
import type { AskedPermits } from './askedPermits.ts'
import type { ParentGas } from './parentGas.ts'

/** What planning a trade is handed. */
export interface PlannerDeps
  extends Pick<
    TradeDeps,
    'db' | 'profile' | 'clock' | 'crypto' | 'storePlan' | 'storeRevocation' | 'recordRefusal' | 'devFields'
  > {
  quoter: Quoter
  simulator: Simulator
  market: Pick<TradeDeps['market'], 'curveOf' | 'mark' | 'head'>
  tokens: Pick<TradeDeps['tokens'], 'find'>
  rpc: Pick<TradeDeps['rpc'], 'request' | 'batch'>
}

/** The same with what it makes for itself. */
export interface PlanDeps extends PlannerDeps {
  /** Refuses LIVE_UNAVAILABLE where the chain has no router. */
  addresses(): TradeAddresses
  permits: AskedPermits
  /** What posting the bytes of each step on the parent chain takes. */
  parentGas: ParentGas
}
