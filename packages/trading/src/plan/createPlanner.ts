import type { Handler, Handlers } from '@pit/platform/call'
import type { Body } from '@pit/protocol'
import type { PlanSimulation, PricedRoute, TradeQuote } from '../types.ts'
import { createAskedPermits } from './askedPermits.ts'
import type { PlanDeps, PlannerDeps } from './deps.ts'
import { tradePlaceOf } from './place.ts'
import { createPlanTrade, type PlanTrade } from './planTrade.ts'
import { checkPolicy } from './policy.ts'
import type { CheckPolicy } from './policyContext.ts'
import { buildTrade, type PrepareDeps, prepareTrade } from './prepareTrade.ts'
import type { TradeBody } from './readRequest.ts'
import { type RevokeAsk, revokeApprovals } from './revokeApprovals.ts'
import { simulateRoute, simulateTrade } from './simulateTrade.ts'

export type PlanRoute = 'live.prepare' | 'live.build' | 'live.simulate' | 'live.revoke'

export interface Planner {
  handlers: Pick<Handlers, PlanRoute>
  planTrade: PlanTrade
  checkPolicy: CheckPolicy
  /** Of a quote, before anybody planned it. */
  simulateRoute(quote: TradeQuote, route: PricedRoute): Promise<PlanSimulation>
  /** Deletes what expired unused; answers how many rows. */
  sweep(): Promise<number>
}

export function createPlanner(options: PlannerDeps): Planner {
  const deps: PlanDeps = {
    ...options,
    place: tradePlaceOf(options.profile),
    permits: createAskedPermits(options),
  }
  const planTrade = createPlanTrade(deps)
  const own: PrepareDeps = { ...deps, planTrade }
  const revoke = (ask: RevokeAsk) => revokeApprovals(deps, ask)
  const prepare: Handler<'live.prepare'> = ({ body, caller }) =>
    isTrade(body) ? prepareTrade(own, { body, caller }) : revoke({ body, caller })
  const build: Handler<'live.build'> = ({ body, caller }) =>
    isTrade(body) ? buildTrade(own, { body, caller }) : revoke({ body, caller })
  return {
    handlers: {
      'live.prepare': prepare,
      'live.build': build,
      'live.simulate': (call) => simulateTrade(own, call),
      'live.revoke': revoke,
    },
    planTrade,
    checkPolicy,
    simulateRoute: (quote, route) => simulateRoute(deps, quote, route),
    sweep: deps.permits.sweep,
  }
}

/** By what was asked for, not by which fields came along. */
const isTrade = (body: Body<'live.prepare'>): body is TradeBody => body.action !== 'revoke'
