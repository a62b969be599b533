import { nextTickDown, nextTickUp, nextUsedTick, USED } from './nextTick.ts'
import {
  amount0Down,
  amount0Up,
  amount1Down,
  amount1Up,
  divideUp,
  priceAfterAmount0In,
  priceAfterAmount0Out,
  priceAfterAmount1In,
  priceAfterAmount1Out,
} from './sqrtPriceMath.ts'
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK, sqrtPriceAtTick } from './tickMath.ts'
import type { Concentrated, SwapResult } from './types.ts'

const PIPS = 1_000_000n
/** The limits routers pass: as far as a pool goes. */
const LOWEST_PRICE = MIN_SQRT_PRICE + 1n
const HIGHEST_PRICE = MAX_SQRT_PRICE - 1n

/**
 * The pool contract's swap, exact to the wei, without changing the pool. v3 and v4 share it: their formulas differ
 * in form but agree in every amount. Past `maxSteps` it stops unfilled: steps are gas, and a swap with thousands
 * of them fits into no block.
 */
export function swapExactIn(
  pool: Concentrated,
  feePips: number,
  zeroForOne: boolean,
  amountIn: bigint,
  maxSteps = Number.POSITIVE_INFINITY,
): SwapResult {
  const fee = BigInt(feePips)
  const netPips = PIPS - fee
  const limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE
  let price = pool.sqrtPriceX96
  let { tick, liquidity } = pool
  let remaining = amountIn
  let amountOut = 0n
  let steps = 0
  let ticksCrossed = 0

  while (remaining > 0n && price !== limit && steps < maxSteps) {
    const next = stepTo(pool, tick, liquidity, zeroForOne)
    const used = next >= USED / 2
    const nextTick = used ? next - USED : next
    steps += liquidity > 0n ? 1 : wordsBetween(pool, tick, nextTick)
    const nextPrice = sqrtPriceAtTick(nextTick)
    const past = zeroForOne ? nextPrice < limit : nextPrice > limit
    const target = past ? limit : nextPrice

    if (liquidity === 0n) {
      price = target
    } else {
      const spendable = (remaining * netPips) / PIPS
      const needed = zeroForOne ? amount0Up(target, price, liquidity) : amount1Up(price, target, liquidity)
      let reached = target
      if (spendable >= needed) {
        remaining -= needed + (fee === PIPS ? 0n : divideUp(needed * fee, netPips))
      } else {
        reached = zeroForOne
          ? priceAfterAmount0In(price, liquidity, spendable)
          : priceAfterAmount1In(price, liquidity, spendable)
        remaining = 0n
      }
      amountOut += zeroForOne
        ? amount1Down(reached, price, liquidity)
        : amount0Down(price, reached, liquidity)
      price = reached
    }
    if (price !== nextPrice) break
    if (used) {
      const { net } = pool.ticks.get(nextTick)!
      liquidity = zeroForOne ? liquidity - net : liquidity + net
      ticksCrossed++
    }
    tick = zeroForOne ? nextTick - 1 : nextTick
  }
  return {
    amountIn: amountIn - remaining,
    amountOut,
    filled: remaining === 0n,
    sqrtPriceX96: price,
    ticksCrossed,
    steps,
  }
}

/** The same for a wanted output: `amountIn` is what it costs. */
export function swapExactOut(
  pool: Concentrated,
  feePips: number,
  zeroForOne: boolean,
  amountOut: bigint,
  maxSteps = Number.POSITIVE_INFINITY,
): SwapResult {
  const fee = BigInt(feePips)
  const netPips = PIPS - fee
  const limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE
  let price = pool.sqrtPriceX96
  let { tick, liquidity } = pool
  let remaining = amountOut
  let amountIn = 0n
  let steps = 0
  let ticksCrossed = 0

  // A fee that takes everything can give nothing for any input.
  while (netPips > 0n && remaining > 0n && price !== limit && steps < maxSteps) {
    const next = stepTo(pool, tick, liquidity, zeroForOne)
    const used = next >= USED / 2
    const nextTick = used ? next - USED : next
    steps += liquidity > 0n ? 1 : wordsBetween(pool, tick, nextTick)
    const nextPrice = sqrtPriceAtTick(nextTick)
    const past = zeroForOne ? nextPrice < limit : nextPrice > limit
    const target = past ? limit : nextPrice

    if (liquidity === 0n) {
      price = target
    } else {
      const available = zeroForOne
        ? amount1Down(target, price, liquidity)
        : amount0Down(price, target, liquidity)
      let reached: bigint | undefined = target
      let spent = available
      if (remaining < available) {
        spent = remaining
        reached = zeroForOne
          ? priceAfterAmount1Out(price, liquidity, spent)
          : priceAfterAmount0Out(price, liquidity, spent)
        if (reached === undefined) break
      }
      const net = zeroForOne ? amount0Up(reached, price, liquidity) : amount1Up(price, reached, liquidity)
      amountIn += net + divideUp(net * fee, netPips)
      remaining -= spent
      price = reached
    }
    if (price !== nextPrice) break
    if (used) {
      const { net } = pool.ticks.get(nextTick)!
      liquidity = zeroForOne ? liquidity - net : liquidity + net
      ticksCrossed++
    }
    tick = zeroForOne ? nextTick - 1 : nextTick
  }
  return {
    amountIn,
    amountOut: amountOut - remaining,
    filled: remaining === 0n,
    sqrtPriceX96: price,
    ticksCrossed,
    steps,
  }
}

function stepTo(pool: Concentrated, tick: number, liquidity: bigint, zeroForOne: boolean): number {
  if (liquidity > 0n) return zeroForOne ? nextTickDown(pool, tick) : nextTickUp(pool, tick)
  const used = nextUsedTick(pool, tick, zeroForOne)
  if (used !== undefined) return used + USED
  return zeroForOne ? MIN_TICK : MAX_TICK
}

/** Number of steps of the contract for one of ours, across a range without liquidity. */
function wordsBetween(pool: Concentrated, tick: number, nextTick: number): number {
  const word = (at: number): number => Math.floor(at / pool.tickSpacing) >> 8
  return 1 + Math.abs(word(nextTick) - word(tick))
}
