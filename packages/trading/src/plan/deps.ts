import type { TradeDeps } from '../deps.ts'
import type { Quoter } from '../quote/index.ts'
import type { Simulator } from '../simulate/index.ts'
import type { TradeAddresses } from './addresses.ts'
import type { ParentGas } from './parentGas.ts'
import type { PendingPermits } from './pendingPermits.ts'
import type { WaitingReader } from './stuck.ts'

/** Dependencies of planning a trade. */
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

/** The same with what the planner creates itself. */
export interface PlanDeps extends PlannerDeps {
  /** Refuses LIVE_UNAVAILABLE on a chain without a router. */
  addresses(): TradeAddresses
  permits: PendingPermits
  readWaiting: WaitingReader
  /** Gas for posting the bytes of each step on the parent chain. */
  parentGas: ParentGas
}
