import { flipTick } from './tickBitmap.ts'
import type { Concentrated } from './types.ts'

/**
 * Adds (or, negative, removes) a position's liquidity: its two ticks, the bitmap, and the pool's own when in
 * range.
 */
export function changeLiquidity(
  pool: Concentrated,
  tickLower: number,
  tickUpper: number,
  delta: bigint,
): void {
  if (delta === 0n) return
  changeTick(pool, tickLower, delta, delta)
  changeTick(pool, tickUpper, delta, -delta)
  if (tickLower <= pool.tick && pool.tick < tickUpper) pool.liquidity += delta
}

function changeTick(pool: Concentrated, tick: number, grossDelta: bigint, netDelta: bigint): void {
  const before = pool.ticks.get(tick)
  const gross = (before?.gross ?? 0n) + grossDelta
  // A burn of more than was ever seen means that logs are missing: better to stop than to quote from it.
  if (gross < 0n) throw new RangeError(`tick ${tick} would hold less than nothing`)
  if (!before || gross === 0n) flipTick(pool.bitmap, tick / pool.tickSpacing)
  if (gross === 0n) pool.ticks.delete(tick)
  else pool.ticks.set(tick, { gross, net: (before?.net ?? 0n) + netDelta })
}
