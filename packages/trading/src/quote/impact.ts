import { type Hop, isFeeUnread, midPrice, type Pool, v4SwapFeePips } from '@pit/chain'
import { roundBps } from './deps.ts'

/** Floats throughout: these disclose how far a trade moves prices, and decide no amount. */

const PIPS = 1_000_000

/** Output atoms for one input atom at the pool's price of now, fee and impact left out. */
export function spotOf({ pool, zeroForOne }: Pick<Hop, 'pool' | 'zeroForOne'>): number {
  const mid = midPrice(pool)
  return zeroForOne ? mid : mid === 0 ? 0 : 1 / mid
}

/** 0 where the fee is its hook's to say and nobody has read it. */
export function feePipsOf(pool: Pool, zeroForOne: boolean): number {
  if (isFeeUnread(pool)) return 0
  if (pool.version === 'v2') return pool.feeBps * 100
  return pool.version === 'v3' ? pool.feePips : v4SwapFeePips(pool, zeroForOne)
}

/** What a path would give for `amountIn` if its pools were endless: their fees paid, no price moved. */
export function endlessOut(hops: readonly Hop[], amountIn: bigint): number {
  let out = Number(amountIn)
  for (const hop of hops) out *= spotOf(hop) * (1 - feePipsOf(hop.pool, hop.zeroForOne) / PIPS)
  return out
}

/** How much less than at the price of now; null when there is no such price. */
export function impactBps(amountOut: bigint, endless: number): number | null {
  if (!Number.isFinite(endless) || endless <= 0) return null
  return roundBps(Math.max(0, (1 - Number(amountOut) / endless) * 10_000))
}
