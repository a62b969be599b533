import { fail, isPitError } from '@pit/protocol'
import { refuseUnrouted } from '../quote/index.ts'
import type { Check, FailedRoute, PricedRoute, TradeQuote } from '../types.ts'
import { type Outcome, outcomeOf } from './amounts.ts'
import { checkPolicy, refuseByPolicy } from './policy.ts'
import type { PolicyContext } from './policyContext.ts'

export type BuildableRoute = PricedRoute & { way: NonNullable<PricedRoute['way']> }

/** The requested route, or the best that can be built. */
export function chooseRoute(quote: TradeQuote): BuildableRoute {
  const route =
    quote.request.routeId === undefined ? firstBuildable(quote) : askedFor(quote, quote.request.routeId)
  if (outcomeOf(quote, route).expected <= 0n) {
    fail('NO_ROUTE', { message: 'After fees and taxes nothing of the output would arrive: trade more.' })
  }
  return route
}

const isBuildable = (route: PricedRoute): route is BuildableRoute => route.way !== null

function askedFor({ routes, failed }: TradeQuote, routeId: string): BuildableRoute {
  const route = routes.find(({ id }) => id === routeId)
  if (!route) {
    const reason = failed.find(({ id }) => id === routeId)
    if (reason) refuseFailed(reason)
    fail('NO_ROUTE', { message: 'route_id is no route of this pair, size and venues now: quote again.' })
  }
  return isBuildable(route) ? route : fail('QUOTE_ONLY', { field: 'route_id' })
}

function firstBuildable(quote: TradeQuote): BuildableRoute {
  const { routes, failed } = quote
  const best = routes.find(isBuildable)
  if (best) return best
  if (routes.length > 0) {
    fail('QUOTE_ONLY', {
      field: 'venues',
      message: 'Only aggregators quote this trade, and their routes are for comparison only.',
    })
  }
  // A curve's own reason applies, unless a pool that did not respond might trade.
  const reason = failed.find(({ code }) => code !== undefined)
  if (reason && failed.every(({ code }) => code !== 'VENUE_FAILED')) refuseFailed(reason)
  return refuseUnrouted(quote)
}

function refuseFailed({ code, why, retryAfterS }: FailedRoute): never {
  fail(code ?? 'NO_ROUTE', { message: why, ...(retryAfterS !== undefined && { retryAfterS }) })
}

/** The route to build on. A size out of range is reported before a missing route. */
export function routeOf(quote: TradeQuote, context: PolicyContext): BuildableRoute {
  try {
    return chooseRoute(quote)
  } catch (error) {
    if (!isPitError(error)) throw error
    const sizes = checkPolicy(quote, context).filter(({ code }) => SIZE_CODES.has(code))
    refuseByPolicy(quote, context, sizes)
    throw error
  }
}
const SIZE_CODES: ReadonlySet<string> = new Set(['MIN_NOTIONAL', 'MAX_NOTIONAL'])

/** A quote that passes the policy, and its expected output. */
export interface Judgement {
  route: BuildableRoute
  outcome: Outcome
  checks: Check[]
}

/** Chooses a route and applies the policy as for a real wallet, without building: used for paper trades. */
export function judgeQuote(
  quote: TradeQuote,
  terms: Pick<PolicyContext, 'acceptRisks' | 'attestsNonUs' | 'minAmountOut'>,
): Judgement {
  const route = routeOf(quote, terms)
  const context: PolicyContext = { ...terms, route }
  const checks = checkPolicy(quote, context)
  refuseByPolicy(quote, context, checks)
  return { route, outcome: outcomeOf(quote, route), checks }
}
