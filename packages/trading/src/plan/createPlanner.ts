import type { PlanSimulation, PricedRoute, TradeQuote } from '../types.ts'
import { tradeAddressesOf } from './addresses.ts'
import type { PlanDeps, PlannerDeps } from './deps.ts'
import { createParentGas } from './parentGas.ts'
import { createPendingPermits } from './pendingPermits.ts'
import type { PlanRequest } from './planRequest.ts'
import { createPlanTrade, type Planned, type PlanTrade } from './planTrade.ts'
import { checkPolicy } from './policy.ts'
import type { CheckPolicy } from './policyContext.ts'
import { buildTrade, type PrepareDeps, type Prepared, prepareTrade } from './prepareTrade.ts'
import { type Revocation, type RevokeParams, revokeApprovals } from './revokeApprovals.ts'
import { type Simulated, type SimulateRequest, simulateRoute, simulateTrade } from './simulateTrade.ts'
import { createWaitingReader } from './stuck.ts'
import type { SimulateTerms } from './trySimulation.ts'

export interface Planner {
  /** Prices, checks and builds; neither stores nor simulates. */
  planTrade: PlanTrade
  prepareTrade(request: PlanRequest & Pick<SimulateTerms, 'fund'>): Promise<Prepared>
  buildTrade(request: PlanRequest): Promise<Planned>
  simulateTrade(request: SimulateRequest): Promise<Simulated>
  revokeApprovals(request: RevokeParams): Promise<Revocation>
  checkPolicy: CheckPolicy
  /** Simulates a route of a quote without a plan. */
  simulateRoute(quote: TradeQuote, route: PricedRoute): Promise<PlanSimulation>
  /** Deletes expired pending permits; returns how many rows. */
  sweep(): Promise<number>
}

export function createPlanner(options: PlannerDeps): Planner {
  const deps: PlanDeps = {
    ...options,
    addresses: tradeAddressesOf(options.profile),
    permits: createPendingPermits(options),
    readWaiting: createWaitingReader(options),
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
