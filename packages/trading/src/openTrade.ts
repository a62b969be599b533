import type { Handlers } from '@pit/platform/call'
import type { TradeDeps } from './deps.ts'
import { createPlanner, type Planner, type PlanRoute } from './plan/index.ts'
import { createQuoteHandler, createQuoter, type Quoter } from './quote/index.ts'
import { createSimulator, type Simulator } from './simulate/index.ts'

export interface Trade {
  handlers: Pick<Handlers, PlanRoute | 'live.quote'>
  quoteTrade: Quoter['quoteTrade']
  /** Prices, judges and builds; nothing is stored or simulated by it. */
  planTrade: Planner['planTrade']
  simulator: Simulator
  /** Deletes what expired unused; answers how many rows. */
  sweep: Planner['sweep']
}

/** Trading: quotes, plans, simulations and revocations, on what it is handed. */
export function openTrade(deps: TradeDeps): Trade {
  const quoter = createQuoter(deps)
  const simulator = createSimulator(deps)
  const planner = createPlanner({ ...deps, quoter, simulator })
  const { checkPolicy, simulateRoute } = planner
  return {
    handlers: {
      ...planner.handlers,
      'live.quote': createQuoteHandler({ ...deps, quoter, checkPolicy, simulateRoute }),
    },
    quoteTrade: quoter.quoteTrade,
    planTrade: planner.planTrade,
    simulator,
    sweep: planner.sweep,
  }
}
