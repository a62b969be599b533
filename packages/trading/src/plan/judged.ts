import {
  DEFAULT_SHIELD_POLICIES,
  microUsdDown,
  SHIELD_POLICIES,
  type ShieldPolicy,
  TRADE,
} from '@pit/protocol'
import type { PricedRoute, TradeQuote, TradeToken } from '../types.ts'
import type { PolicyContext } from './policyContext.ts'

/** Everything a rule may look at. */
export interface Judged extends PolicyContext {
  quote: TradeQuote
  /** Null when nothing can be built. */
  judgedRoute: PricedRoute | null
}

export const judgedOf = (quote: TradeQuote, context: PolicyContext): Judged => ({
  ...context,
  quote,
  judgedRoute: context.route ?? quote.routes.find(({ way }) => way !== null) ?? null,
})

/** What was asked in dollars counts as asked: converting to atoms and back rounds. */
export const sizeOf = (judged: Judged): bigint | null => {
  const askedUsd = askedUsdOf(judged)
  return askedUsd === undefined ? judged.quote.notionalMicroUsd : microUsdDown(askedUsd)
}

/** Undefined where the size was asked in atoms. */
export const askedUsdOf = ({ quote, notionalUsd = quote.request.notionalUsd }: Judged): number | undefined =>
  notionalUsd

export const stockEnds = ({ tokenIn, tokenOut }: TradeQuote): TradeToken[] =>
  [tokenIn, tokenOut].filter(({ stock }) => stock)

/** The trade's disclosures and those of the route judged: another route may have its own. */
const risksOf = ({ quote, judgedRoute }: Judged) => [...quote.risks, ...(judgedRoute?.risks ?? [])]

export function severeOf(judged: Judged): string[] {
  const severe = risksOf(judged).filter(({ severity }) => severity === 'severe')
  return [...new Set(severe.map(({ code }) => code))]
}

export const unacceptedOf = (judged: Judged): string[] =>
  severeOf(judged).filter((code) => !judged.acceptRisks.includes(code))

export const policiesOf = ({ request }: TradeQuote): readonly ShieldPolicy[] =>
  request.shield ? (request.policies ?? DEFAULT_SHIELD_POLICIES) : []

/** What the shield policies refuse, accepted risks too, and which of them do. */
export function blockedBy(judged: Judged): { codes: string[]; names: ShieldPolicy[] } {
  const risks = new Set(risksOf(judged).map(({ code }) => code))
  const refusedBy = (name: ShieldPolicy) => SHIELD_POLICIES[name].filter((code) => risks.has(code))
  const names = policiesOf(judged.quote).filter((name) => refusedBy(name).length > 0)
  return { codes: [...new Set(names.flatMap(refusedBy))], names }
}

/**
 * How far from its reference a token by address may trade: its tier's limit, of two tokens the wider one. An
 * impact the owner accepted is the owner's own doing and comes on top; what remains is the market's distance.
 */
export function guardLimitOf({ quote, judgedRoute, acceptRisks }: Judged): number {
  const limits = [quote.tokenIn, quote.tokenOut]
    .filter(({ core }) => core === null)
    .map(({ record }) => Number(record.limits['max_price_impact_bps']))
    .filter(Number.isFinite)
  const limit = limits.length > 0 ? Math.max(...limits) : TRADE.maxVsMidBps
  const impact = judgedRoute?.impactBps ?? 0
  const isAccepted = impact >= TRADE.highPriceImpactBps && acceptRisks.includes('HIGH_PRICE_IMPACT')
  return isAccepted ? limit + impact : limit
}
