import { isPitError } from '@pit/protocol'
import type { Check, TradeQuote } from '../types.ts'
import { type Outcome, outcomeOf } from './amounts.ts'
import { type BuildableRoute, chooseRoute } from './chooseRoute.ts'
import { checkPolicy, refuseByPolicy } from './policy.ts'
import type { PolicyContext } from './policyContext.ts'

/** The route a plan is built on. A size out of range is said before that no route takes it. */
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

/** A quote that would become a plan, and what it would deliver. */
export interface Judgement {
  route: BuildableRoute
  outcome: Outcome
  checks: Check[]
}

/** Chooses and judges as a plan for a real wallet is, but builds nothing: what trading on paper stands on. */
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
