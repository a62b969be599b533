import { type Hop, isFeeUnread, midPrice, type Pool, v4SwapFeePips } from '@pit/chain'
import { roundBps } from './deps.ts'

/** Floats throughout: these values disclose price impact and never decide an amount. */

const PIPS = 1_000_000

/** Output atoms per input atom at the pool's current price, without fee and impact. */
export function spotOf({ pool, zeroForOne }: Pick<Hop, 'pool' | 'zeroForOne'>): number {
  const mid = midPrice(pool)
  return zeroForOne ? mid : mid === 0 ? 0 : 1 / mid
}

/** 0 if the hook sets the fee and it has not been read. */
export function feePipsOf(pool: Pool, zeroForOne: boolean): number {
  if (isFeeUnread(pool)) return 0
  if (pool.version === 'v2') return pool.feeBps * 100
  return pool.version === 'v3' ? pool.feePips : v4SwapFeePips(pool, zeroForOne)
}

/** Output of a path for `amountIn` with infinite liquidity: fees paid, no price moved. */
export function endlessOut(hops: readonly Hop[], amountIn: bigint): number {
  let out = Number(amountIn)
  for (const hop of hops) out *= spotOf(hop) * (1 - feePipsOf(hop.pool, hop.zeroForOne) / PIPS)
  return out
}

/** Loss against the current price; null without one. */
export function impactBps(amountOut: bigint, endless: number): number | null {
  if (!Number.isFinite(endless) || endless <= 0) return null
  return roundBps(Math.max(0, (1 - Number(amountOut) / endless) * 10_000))
}
