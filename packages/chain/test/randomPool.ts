import { newV3Pool } from '../src/pools/create.ts'
import { changeLiquidity } from '../src/pools/liquidity.ts'
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick, tickAtSqrtPrice } from '../src/pools/tickMath.ts'
import type { V3Pool } from '../src/pools/types.ts'

export type Random = { below(n: number): number; bits(n: number): bigint }

/** The same numbers in every run: a failing pool can be looked at again. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  const bits = (n: number): bigint => {
    let value = 0n
    for (let have = 0; have < n; have += 32) value = (value << 32n) | BigInt(next())
    return value & ((1n << BigInt(n)) - 1n)
  }
  return { below: (n) => Math.floor((next() / 2 ** 32) * n), bits }
}

const SPACING_OF_FEE: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
const FEES = [100, 500, 3000, 10000]

/** Anything from one wide position to dozens of narrow ones with gaps between, at any price, of any size. */
export function randomPool(random: Random, id: `0x${string}` = `0x${'0a'.repeat(20)}`): V3Pool {
  const feePips = FEES[random.below(4)]!
  const tickSpacing = SPACING_OF_FEE[feePips]!
  const pool = newV3Pool({
    id,
    token0: `0x${'11'.repeat(20)}`,
    token1: `0x${'22'.repeat(20)}`,
    feePips,
    tickSpacing,
  })
  const spread = random.below(3) === 0 ? 400_000 : 20_000
  const centre = random.below(2 * spread) - spread
  pool.sqrtPriceX96 = sqrtPriceAtTick(centre) + random.bits(random.below(60))
  pool.tick = tickAtSqrtPrice(pool.sqrtPriceX96)
  for (let positions = 1 + random.below(12); positions > 0; positions--) {
    const half = 1 + random.below(random.below(2) === 0 ? 30 : 6000)
    const middle = Math.floor(centre / tickSpacing) + random.below(800) - 400
    const lower = Math.max(Math.ceil(MIN_TICK / tickSpacing), middle - half) * tickSpacing
    const upper = Math.min(Math.floor(MAX_TICK / tickSpacing), middle + half) * tickSpacing
    if (lower < upper) changeLiquidity(pool, lower, upper, 1n + random.bits(20 + random.below(80)))
  }
  return pool
}

/** From one wei to far past what any pool holds, most of them in between. */
export function randomAmount(random: Random): bigint {
  return 1n + random.bits(1 + random.below(110))
}
