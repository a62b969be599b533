import { type Answer, fail } from '@pit/protocol'
import type { FailedRoute, PricedRoute, TradeQuote, TradeToken } from '../types.ts'
import { unitUsd } from './prices.ts'
import { worstAudit } from './risks.ts'

export type RouteRow = Answer<'live.quote'>['routes'][number]
type QuoteAnswer = Answer<'live.quote'>

/** A route in the response's shape. Impact and guard are shown if a token by address is traded. */
export function routeRowOf(route: PricedRoute | FailedRoute, quote: Ends): RouteRow {
  const { id, venue, label } = route
  const byAddress = quote.tokenIn.core === null || quote.tokenOut.core === null
  if ('why' in route) {
    const nothing = { amount_out: null, vs_mid_bps: null, gas: null, gas_usd: null, total_bps: null }
    return { id, venue, label, ok: false, ...nothing, why: route.why }
  }
  return {
    id,
    venue,
    label,
    ok: true,
    amount_out: route.amountOut.toString(),
    vs_mid_bps: route.vsMidBps,
    gas: route.gas,
    gas_usd: route.gasUsd,
    total_bps: route.totalBps,
    ...(byAddress && { impact_bps: route.impactBps, guard_bps: route.guardBps }),
  }
}
type Ends = Pick<TradeQuote, 'tokenIn' | 'tokenOut'>

/** At the top of every quote, plan and simulation. */
export function disclosuresOf(
  quote: Pick<TradeQuote, 'risks' | 'fee' | 'request' | 'audits'>,
): Pick<
  QuoteAnswer,
  | 'risks'
  | 'fee_bps'
  | 'fee_class'
  | 'fee_tier'
  | 'fee_side'
  | 'fee_token'
  | 'shield'
  | 'audit'
  | 'shield_available'
> {
  const { risks, fee, request, audits } = quote
  return {
    risks,
    fee_bps: fee.bps,
    fee_class: fee.class,
    fee_tier: fee.tier,
    fee_side: fee.side,
    fee_token: fee.token,
    shield: request.shield,
    ...(request.shield ? { audit: worstAudit(audits) } : { shield_available: true as const }),
  }
}

/** Prices used to size and check a trade, by token. */
export function marksOf(quote: Ends, nowS: number): QuoteAnswer['marks'] {
  const entryOf = (token: TradeToken) => {
    const { mark, symbol, record } = token
    if (mark) {
      const age_s = Math.max(0, nowS - mark.updatedAtS)
      return { symbol, price_usd: unitUsd(token), source: mark.source, age_s, stale: mark.stale }
    }
    const { source, read_at } = record.reference
    const price_usd = unitUsd(token)
    if (price_usd === null)
      return { symbol, price_usd: null, source: 'none' as const, age_s: null, stale: null }
    return {
      symbol,
      price_usd,
      source,
      age_s: read_at == null ? null : Math.max(0, nowS - read_at),
      stale: null,
    }
  }
  return Object.fromEntries([quote.tokenIn, quote.tokenOut].map((token) => [token.address, entryOf(token)]))
}

/** The best route that can be built. */
export const bestOf = ({ routes }: Pick<TradeQuote, 'routes'>): PricedRoute | undefined =>
  routes.find(({ way }) => way !== null)

/** Refuses a trade without a route: retryable if a venue did not respond, otherwise final. */
export function refuseUnrouted({ failed }: Pick<TradeQuote, 'failed'>): never {
  const reasons = failed.map(({ venue, label, why }) => `${venue}, ${label}: ${why}`)
  const message =
    reasons.length === 0 ? 'No pool or curve can trade this pair at this size.' : reasons.join(' ')
  if (failed.some(({ code }) => code === 'VENUE_FAILED')) fail('VENUE_FAILED', { message })
  return fail('NO_ROUTE', { message })
}
