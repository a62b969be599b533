import { isPitError } from '@pit/protocol'
import type { Check, TradeQuote } from '../types.ts'
import { type Outcome, outcomeOf } from './amounts.ts'
import { type BuildableRoute, chooseRoute } from './chooseRoute.ts'
import { checkPolicy, refuseByPolicy } from './policy.ts'
import type { PolicyContext } from './policyContext.ts'

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
  terms: Pick<PolicyContext, 'acceptRisks' | 'attestsNonUs'>,
): Judgement {
  const route = routeOf(quote, terms)
  const context: PolicyContext = { ...terms, route }
  const checks = checkPolicy(quote, context)
  refuseByPolicy(quote, context, checks)
  return { route, outcome: outcomeOf(quote, route), checks }
}
