import {
  DEFAULT_SHIELD_POLICIES,
  microUsdDown,
  SHIELD_POLICIES,
  type ShieldPolicy,
  TRADE,
} from '@pit/protocol'
import type { AttestsNonUs } from '../attestation.ts'
import type { Check, PricedRoute, TradeQuote, TradeToken, WalletState } from '../types.ts'

/** Input of the policy besides the quote. Rules about an absent field do not run. */
export interface PolicyContext {
  /** Severe risks the owner accepts. Unknown codes have no effect. */
  acceptRisks: readonly string[]
  /** The route to check; by default the best that can be built. */
  route?: PricedRoute
  /** The requested dollars, if the size was given in dollars. */
  notionalUsd?: number
  maxFeeBps?: number
  /** The owner's own floor. */
  minAmountOut?: bigint
  /** Whether the owner attests not to be a US person; absent on a quote. */
  attestsNonUs?: AttestsNonUs
  approval?: { mode: string; budgetUsd: number; allowUnlimited: boolean }
  /** A real wallet's state. */
  wallet?: WalletState
  /** Spender of the input's approval; Permit2 unless a curve is traded. */
  approves?: 'permit2' | 'curve'
}

/** Runs every applicable rule in order. The first refusing rule that fails is the response. */
export type CheckPolicy = (quote: TradeQuote, context: PolicyContext) => Check[]

/** Input of every rule. */
export interface Judged extends PolicyContext {
  quote: TradeQuote
  /** Null if nothing can be built. */
  judgedRoute: PricedRoute | null
}

export const judgedOf = (quote: TradeQuote, context: PolicyContext): Judged => ({
  ...context,
  quote,
  judgedRoute: context.route ?? quote.routes.find(({ way }) => way !== null) ?? null,
})

/** A size in dollars counts as requested: converting to atoms and back rounds. */
export const sizeOf = (judged: Judged): bigint | null => {
  const askedUsd = requestedUsdOf(judged)
  return askedUsd === undefined ? judged.quote.notionalMicroUsd : microUsdDown(askedUsd)
}

/** Undefined if the size was given in atoms. */
export const requestedUsdOf = ({
  quote,
  notionalUsd = quote.request.notionalUsd,
}: Judged): number | undefined => notionalUsd

export const stockEnds = ({ tokenIn, tokenOut }: TradeQuote): TradeToken[] =>
  [tokenIn, tokenOut].filter(({ stock }) => stock)

/** The trade's disclosures plus those of the route in question. */
const risksOf = ({ quote, judgedRoute }: Judged) => [...quote.risks, ...(judgedRoute?.risks ?? [])]

export function severeOf(judged: Judged): string[] {
  const severe = risksOf(judged).filter(({ severity }) => severity === 'severe')
  return [...new Set(severe.map(({ code }) => code))]
}

export const unacceptedOf = (judged: Judged): string[] =>
  severeOf(judged).filter((code) => !judged.acceptRisks.includes(code))

export const policiesOf = ({ request }: TradeQuote): readonly ShieldPolicy[] =>
  request.shield ? (request.policies ?? DEFAULT_SHIELD_POLICIES) : []

/** Risks that the shield policies refuse, accepted ones included, and the refusing policies. */
export function blockedBy(judged: Judged): { codes: string[]; names: ShieldPolicy[] } {
  const risks = new Set(risksOf(judged).map(({ code }) => code))
  const refusedBy = (name: ShieldPolicy) => SHIELD_POLICIES[name].filter((code) => risks.has(code))
  const names = policiesOf(judged.quote).filter((name) => refusedBy(name).length > 0)
  return { codes: [...new Set(names.flatMap(refusedBy))], names }
}

/**
 * Maximum distance from the reference for a token by address: its tier's limit, the wider one of two tokens.
 * An accepted price impact is added on top, so that the limit applies to the market's distance only.
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
