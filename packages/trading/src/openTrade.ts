import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import { gatherReads } from '@pit/platform/rpc'
import type { TradeDeps } from './deps.ts'
import { createPlanner, type Planner } from './plan/index.ts'
import { createQuoter, type Quoter, type ShownQuote, showQuote } from './quote/index.ts'
import { createSimulator, type Simulator } from './simulate/index.ts'
import type { TradeParams } from './types.ts'

export interface Trade extends Omit<Planner, 'checkPolicy' | 'simulateRoute' | 'sweep'> {
  quoteTrade: Quoter['quoteTrade']
  /** A quote with its best route simulated, and the rules a plan of it would fail. */
  showQuote(request: { trade: TradeParams; acceptRisks: readonly string[] }): Promise<ShownQuote>
  simulator: Simulator
  jobs: CapabilityJobs
}

/** Trading: quotes, plans, simulations and revocations. */
export function openTrade(deps: TradeDeps): Trade {
  const quoter = createQuoter(deps)
  // A wallet's readings and its plan's simulation leave together.
  const simulator = createSimulator({ ...deps, rpc: gatherReads(deps.rpc) })
  const { checkPolicy, simulateRoute, sweep, ...planner } = createPlanner({ ...deps, quoter, simulator })
  const quoteDeps = { ...deps, quoter, checkPolicy, simulateRoute }
  return {
    ...planner,
    quoteTrade: quoter.quoteTrade,
    showQuote: (request) => showQuote(quoteDeps, request),
    simulator,
    jobs: {
      everywhere: [],
      worker: [sweepJob('sweep pending permits', sweep)],
    },
  }
}
