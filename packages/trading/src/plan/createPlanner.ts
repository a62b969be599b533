import type { PlanSimulation, PricedRoute, TradeQuote } from '../types.ts'
import { tradeAddressesOf } from './addresses.ts'
import { createAskedPermits } from './askedPermits.ts'
import type { PlanDeps, PlannerDeps } from './deps.ts'
import { createParentGas } from './parentGas.ts'
import type { PlanRequest } from './planRequest.ts'
import { createPlanTrade, type Planned, type PlanTrade } from './planTrade.ts'
import { checkPolicy } from './policy.ts'
import type { CheckPolicy } from './policyContext.ts'
import { buildTrade, type PrepareDeps, type Prepared, prepareTrade } from './prepareTrade.ts'
import { type Revocation, type RevokeParams, revokeApprovals } from './revokeApprovals.ts'
import { type Simulated, type SimulateRequest, simulateRoute, simulateTrade } from './simulateTrade.ts'
import type { SimulateTerms } from './trySimulation.ts'

export interface Planner {
  /** Prices, judges and builds; nothing is stored or simulated by it. */
  planTrade: PlanTrade
  prepareTrade(request: PlanRequest & Pick<SimulateTerms, 'fund'>): Promise<Prepared>
  buildTrade(request: PlanRequest): Promise<Planned>
  simulateTrade(request: SimulateRequest): Promise<Simulated>
  revokeApprovals(request: RevokeParams): Promise<Revocation>
  checkPolicy: CheckPolicy
  /** Of a quote, before anybody planned it. */
  simulateRoute(quote: TradeQuote, route: PricedRoute): Promise<PlanSimulation>
  /** Deletes what expired unused; answers how many rows. */
  sweep(): Promise<number>
}

export function createPlanner(options: PlannerDeps): Planner {
  const deps: PlanDeps = {
    ...options,
    addresses: tradeAddressesOf(options.profile),
    permits: createAskedPermits(options),
    parentGas: createParentGas(options),
  }
  const planTrade = createPlanTrade(deps)
  const own: PrepareDeps = { ...deps, planTrade }
  return {
    planTrade,
    prepareTrade: (request) => prepareTrade(own, request),
    buildTrade: (request) => buildTrade(own, request),
    simulateTrade: (request) => simulateTrade(own, request),
    revokeApprovals: (request) => revokeApprovals(deps, request),
    checkPolicy,
    simulateRoute: (quote, route) => simulateRoute(deps, quote, route),
    sweep: deps.permits.sweep,
  }
}
