import type { Hop } from '@pit/chain'
import { RISKS, TRADE } from '@pit/protocol'
import type { Risk } from '../types.ts'
import { feePipsOf, spotOf } from './impact.ts'

/**
 * Pools that keep most of a trade as their fee or through their hook. They are never ranked; a quote by
 * route_id discloses the trap.
 */

const PIPS = 1_000_000
/** For a pool whose hook decides the output: fee, hook and impact together, as they cannot be separated. */
const MAX_LOST = 0.5

/** The share kept by the most expensive pool of a path, if it is a trap; null otherwise. */
export function trapOf(hops: readonly Hop[]): number | null {
  const dearest = Math.max(0, ...hops.map(({ pool, zeroForOne }) => feePipsOf(pool, zeroForOne)))
  return dearest > TRADE.maxPoolFeePips ? dearest / PIPS : null
}

/** The same, from the chain's quote for the pool. */
export function trapByCall(hop: Hop, amountIn: bigint, amountOut: bigint): number | null {
  const whole = Number(amountIn) * spotOf(hop)
  const lost = whole > 0 ? 1 - Number(amountOut) / whole : 0
  return lost > MAX_LOST ? lost : trapOf([hop])
}

const percentOf = (share: number): string => `${Math.round(share * 1_000) / 10}%`

export const whyTrapped = (share: number, routeId: string): string =>
  `A pool on this route keeps ${percentOf(share)} of the trade. It is quoted only by route_id ${routeId}.`

export const trapRisk = (share: number): Risk => ({
  code: 'HIGH_PRICE_IMPACT',
  severity: RISKS.HIGH_PRICE_IMPACT.severity,
  message: `A pool on this route keeps ${percentOf(share)} of the trade.`,
})
