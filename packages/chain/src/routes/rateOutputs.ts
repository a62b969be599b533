import { isQuotedByCall } from '../pools/hooks.ts'
import { nextTickDown, nextTickUp, nextUsedTick, USED } from '../pools/nextTick.ts'
import { v4SwapFeePips } from '../pools/quote.ts'
import type { Concentrated, Pool } from '../pools/types.ts'

/**
 * Pools are rated for inputs of 8, 64, 512 … atoms: the one past the last is more than any pool could count.
 */
export const RATED_SIZES = 42
const STEP_BITS = 3
const SIZES = Float64Array.from({ length: RATED_SIZES }, (_, i) => 2 ** (STEP_BITS * (i + 1)))
/** Further ticks are left out of the rating: this limits its work, not a quote. */
const MAX_STEPS = 128
const PIPS = 1_000_000
const BPS = 10_000

/** The largest rated size that is no more than this amount; below the least of them, that one. */
export function sizeIndexOf(amountIn: bigint): number {
  const bits = amountIn.toString(16).length * 4 - Math.clz32(Number(`0x${amountIn.toString(16)[0]}`)) + 28
  return Math.min(Math.max(Math.floor((bits - 1) / STEP_BITS) - 1, 0), RATED_SIZES - 1)
}

/**
 * Approximate output of a pool for each size; beyond its capacity, its total output as a negative number. Floats:
 * this selects pools to quote and decides no amount. Liquidity alone is not a measure: at an absurd price it is almost
 * free.
 */
export function rateOutputs(pool: Pool, zeroForOne: boolean, outputs: Float64Array): Float64Array {
  outputs.fill(0)
  if (pool.version === 'v2') {
    const [own, other] = zeroForOne ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0]
    const [reserveIn, reserveOut] = [Number(own), Number(other)]
    if (reserveIn === 0) return outputs
    for (let i = 0; i < RATED_SIZES; i++) {
      const spent = SIZES[i]! * (1 - pool.feeBps / BPS)
      outputs[i] = (reserveOut * spent) / (reserveIn + spent)
    }
    return outputs
  }
  return pool.sqrtPriceX96 === 0n ? outputs : walk(pool, feePipsOf(pool, zeroForOne), zeroForOne, outputs)
}

function feePipsOf(pool: Exclude<Pool, { version: 'v2' }>, zeroForOne: boolean): number {
  if (pool.version === 'v3') return pool.feePips
  // If the hook decides the output, the pool's stored fee is meaningless.
  return isQuotedByCall(pool) ? 0 : v4SwapFeePips(pool, zeroForOne)
}

/** One walk outwards from the price, recording each size's output when it is reached. */
function walk(pool: Concentrated, feePips: number, zeroForOne: boolean, outputs: Float64Array): Float64Array {
  const netShare = 1 - feePips / PIPS
  if (netShare <= 0) return outputs
  let root = Number(pool.sqrtPriceX96) / 2 ** 96
  let { tick, liquidity } = pool
  let [taken, given, size] = [0, 0, 0]
  for (let step = 0; step < MAX_STEPS && size < RATED_SIZES; step++) {
    const next = nextStep(pool, tick, liquidity, zeroForOne)
    if (next === undefined) break
    const used = next >= USED / 2
    const nextTick = used ? next - USED : next
    const target = 1.0001 ** (nextTick / 2)
    if (liquidity > 0n) {
      const depth = Number(liquidity)
      // The products of both roots turn one side's amount into the other's without a difference of near
      // equals.
      const needed = zeroForOne ? (depth * (root - target)) / (root * target) : depth * (target - root)
      for (; size < RATED_SIZES && SIZES[size]! * netShare - taken <= needed; size++) {
        const part = SIZES[size]! * netShare - taken
        outputs[size] = given + outputOf(part, root, depth, zeroForOne)
      }
      taken += Math.max(needed, 0)
      given += zeroForOne ? Math.max(needed, 0) * root * target : Math.max(needed, 0) / (root * target)
    }
    root = target
    if (used) {
      const { net } = pool.ticks.get(nextTick)!
      liquidity = zeroForOne ? liquidity - net : liquidity + net
    }
    tick = zeroForOne ? nextTick - 1 : nextTick
  }
  return outputs.fill(-given, size)
}

function outputOf(amountIn: number, root: number, depth: number, zeroForOne: boolean): number {
  if (zeroForOne) return (amountIn * root) / (1 / root + amountIn / depth)
  return amountIn / (root * (root + amountIn / depth))
}

function nextStep(
  pool: Concentrated,
  tick: number,
  liquidity: bigint,
  zeroForOne: boolean,
): number | undefined {
  if (liquidity > 0n) return zeroForOne ? nextTickDown(pool, tick) : nextTickUp(pool, tick)
  const used = nextUsedTick(pool, tick, zeroForOne)
  return used === undefined ? undefined : used + USED
}
