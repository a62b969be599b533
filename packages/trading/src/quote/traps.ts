import type { Hop } from '@pit/chain'
import { RISKS, TRADE } from '@pit/protocol'
import type { Risk } from '../types.ts'
import { feePipsOf, spotOf } from './impact.ts'

/**
 * Pools that live off those who do not look: they keep most of a trade as their fee, or through their hook.
 * They are never ranked; whoever names one by its route_id is told.
 */

const PIPS = 1_000_000
/** Of a pool whose hook has the last word, fee, hook and impact together: they cannot be told apart. */
const MAX_LOST = 0.5

/** The share that the dearest pool of a path keeps, where it is a trap's; null on other paths. */
export function trapOf(hops: readonly Hop[]): number | null {
  const dearest = Math.max(0, ...hops.map(({ pool, zeroForOne }) => feePipsOf(pool, zeroForOne)))
  return dearest > TRADE.maxPoolFeePips ? dearest / PIPS : null
}

/** The same by what the chain says a pool gives. */
export function trapByCall(hop: Hop, amountIn: bigint, amountOut: bigint): number | null {
  const whole = Number(amountIn) * spotOf(hop)
  const lost = whole > 0 ? 1 - Number(amountOut) / whole : 0
  return lost > MAX_LOST ? lost : trapOf([hop])
}

const percentOf = (share: number): string => `${Math.round(share * 1_000) / 10}%`

export const whyTrapped = (share: number, routeId: string): string =>
  `A pool on the way keeps ${percentOf(share)} of the trade: only route_id ${routeId} quotes it.`

export const trapRisk = (share: number): Risk => ({
  code: 'HIGH_PRICE_IMPACT',
  severity: RISKS.HIGH_PRICE_IMPACT.severity,
  message: `A pool of this route keeps ${percentOf(share)} of the trade.`,
})
