import { CurrencyAmount, Token } from '@uniswap/sdk-core'
import { Pool as SdkPool, TickListDataProvider, TickMath } from '@uniswap/v3-sdk'
import { describe, expect, it, vi } from 'vitest'
import { randomAmount, randomPool, seeded } from '../../test/randomPool.ts'
import { newV3Pool } from './create.ts'
import { changeLiquidity } from './liquidity.ts'
import { quoteExactIn, quoteExactOut } from './quote.ts'
import { bigIntToWord, wordToBigInt } from './tickBitmap.ts'
import {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tickMath.ts'
import type { V3Pool } from './types.ts'

// Thousands of swaps through the SDK, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 })

const TOKEN0 = new Token(1, `0x${'11'.repeat(20)}`, 18)
const TOKEN1 = new Token(1, `0x${'22'.repeat(20)}`, 18)

function sdkPool(pool: V3Pool): SdkPool {
  const ticks = [...pool.ticks]
    .sort(([a], [b]) => a - b)
    .map(([index, { gross, net }]) => ({ index, liquidityGross: `${gross}`, liquidityNet: `${net}` }))
  const provider = new TickListDataProvider(ticks, pool.tickSpacing)
  return new SdkPool(
    TOKEN0,
    TOKEN1,
    pool.feePips,
    `${pool.sqrtPriceX96}`,
    `${pool.liquidity}`,
    pool.tick,
    provider,
  )
}

describe('tick math', () => {
  it('has the SDK’s price at every bit of a tick and at random ones', () => {
    const random = seeded(1)
    const ticks = [MIN_TICK, MAX_TICK, -1, 0, 1]
    for (let bit = 0; bit < 20; bit++) ticks.push(1 << bit, -(1 << bit))
    for (let i = 0; i < 3000; i++) ticks.push(random.below(2 * MAX_TICK) - MAX_TICK)
    for (const tick of ticks.filter((t) => Math.abs(t) <= MAX_TICK)) {
      expect(sqrtPriceAtTick(tick)).toBe(BigInt(TickMath.getSqrtRatioAtTick(tick).toString()))
    }
    expect(sqrtPriceAtTick(MIN_TICK)).toBe(MIN_SQRT_PRICE)
    expect(sqrtPriceAtTick(MAX_TICK)).toBe(MAX_SQRT_PRICE)
    expect(() => sqrtPriceAtTick(MAX_TICK + 1)).toThrow(RangeError)
    expect(() => sqrtPriceAtTick(Number.NaN)).toThrow(RangeError)
  })

  it('finds the tick of a price, on both sides of every edge', () => {
    const random = seeded(2)
    for (let i = 0; i < 3000; i++) {
      const tick = random.below(2 * MAX_TICK) - MAX_TICK
      const price = sqrtPriceAtTick(tick)
      if (tick < MAX_TICK) expect(tickAtSqrtPrice(price)).toBe(tick)
      if (tick > MIN_TICK) expect(tickAtSqrtPrice(price - 1n)).toBe(tick - 1)
    }
    expect(tickAtSqrtPrice(MIN_SQRT_PRICE)).toBe(MIN_TICK)
    expect(tickAtSqrtPrice(MAX_SQRT_PRICE - 1n)).toBe(MAX_TICK - 1)
    expect(() => tickAtSqrtPrice(MIN_SQRT_PRICE - 1n)).toThrow(RangeError)
    expect(() => tickAtSqrtPrice(MAX_SQRT_PRICE)).toThrow(RangeError)
  })
})

describe('swaps of random pools', () => {
  it('give what the SDK gives, to the wei, both ways and for input and output', async () => {
    const random = seeded(3)
    let crossed = 0
    let compared = 0
    for (let i = 0; i < 500; i++) {
      const pool = randomPool(random)
      const theirs = sdkPool(pool)
      for (let j = 0; j < 4; j++) {
        const zeroForOne = random.below(2) === 0
        const amount = randomAmount(random)
        const [input, output] = zeroForOne ? [TOKEN0, TOKEN1] : [TOKEN1, TOKEN0]
        const exactIn = quoteExactIn(pool, zeroForOne, amount)!
        // A swap that finds no end takes the SDK through thousands of empty words: a few of those are enough.
        if (exactIn.filled || i % 50 === 0) {
          const [out, after] = await theirs.getOutputAmount(CurrencyAmount.fromRawAmount(input, `${amount}`))
          expect(`${exactIn.amountOut}`).toBe(out.quotient.toString())
          expect(`${exactIn.sqrtPriceX96}`).toBe(after.sqrtRatioX96.toString())
          crossed += exactIn.ticksCrossed
          compared++
        }
        const exactOut = quoteExactOut(pool, zeroForOne, amount)!
        if (exactOut.filled || i % 50 === 0) {
          const [cost] = await theirs.getInputAmount(CurrencyAmount.fromRawAmount(output, `${amount}`))
          expect(`${exactOut.amountIn}`).toBe(cost.quotient.toString())
          compared++
        }
      }
    }
    expect(crossed).toBeGreaterThan(200)
    expect(compared).toBeGreaterThan(1000)
  })

  it('stop and start exactly on ticks as the SDK does', async () => {
    const random = seeded(4)
    for (let i = 0; i < 100; i++) {
      const pool = randomPool(random)
      const zeroForOne = random.below(2) === 0
      const edges = [...pool.ticks.keys()].filter((tick) =>
        zeroForOne ? tick < pool.tick : tick > pool.tick,
      )
      const edge = edges[random.below(edges.length)]
      if (edge === undefined) continue
      // Place the price on the tick itself, as after a swap that ended there.
      pool.sqrtPriceX96 = sqrtPriceAtTick(edge)
      pool.tick = edge
      pool.liquidity = [...pool.ticks].reduce((sum, [tick, { net }]) => (tick <= edge ? sum + net : sum), 0n)
      const theirs = sdkPool(pool)
      for (const amount of [1n, 2n, randomAmount(random)]) {
        if (!quoteExactIn(pool, zeroForOne, amount)!.filled) continue
        const [out] = await theirs.getOutputAmount(
          CurrencyAmount.fromRawAmount(zeroForOne ? TOKEN0 : TOKEN1, `${amount}`),
        )
        expect(`${quoteExactIn(pool, zeroForOne, amount)!.amountOut}`).toBe(out.quotient.toString())
      }
    }
  })
})

describe('laws', () => {
  const random = seeded(5)
  const pools = Array.from({ length: 300 }, () => randomPool(random))

  it('more in never gives less out, and the pool is left unchanged', () => {
    for (const pool of pools) {
      const before = JSON.stringify([pool.sqrtPriceX96, pool.tick, pool.liquidity, [...pool.ticks]], text)
      const zeroForOne = random.below(2) === 0
      const a = randomAmount(random)
      const b = a + randomAmount(random)
      expect(quoteExactIn(pool, zeroForOne, b)!.amountOut).toBeGreaterThanOrEqual(
        quoteExactIn(pool, zeroForOne, a)!.amountOut,
      )
      expect(JSON.stringify([pool.sqrtPriceX96, pool.tick, pool.liquidity, [...pool.ticks]], text)).toBe(
        before,
      )
    }
  })

  it('paying what an output costs gives that output at least', () => {
    let seen = 0
    for (const pool of pools) {
      const zeroForOne = random.below(2) === 0
      const cost = quoteExactOut(pool, zeroForOne, randomAmount(random))!
      if (!cost.filled || cost.amountIn === 0n) continue
      seen++
      expect(quoteExactIn(pool, zeroForOne, cost.amountIn)!.amountOut).toBeGreaterThanOrEqual(cost.amountOut)
      if (cost.amountIn > 1n) {
        const less = quoteExactIn(pool, zeroForOne, cost.amountIn - 1n)!
        expect(less.amountOut).toBeLessThanOrEqual(cost.amountOut)
      }
    }
    expect(seen).toBeGreaterThan(50)
  })

  it('going there and back never makes money', () => {
    let seen = 0
    for (const pool of pools) {
      const zeroForOne = random.below(2) === 0
      const there = quoteExactIn(pool, zeroForOne, randomAmount(random))!
      if (!there.filled || there.amountOut === 0n || there.sqrtPriceX96 <= MIN_SQRT_PRICE) continue
      seen++
      const moved = { ...pool, sqrtPriceX96: there.sqrtPriceX96, tick: tickAtSqrtPrice(there.sqrtPriceX96) }
      moved.liquidity = [...pool.ticks].reduce(
        (sum, [tick, { net }]) => (tick <= moved.tick ? sum + net : sum),
        0n,
      )
      expect(quoteExactIn(moved, !zeroForOne, there.amountOut)!.amountOut).toBeLessThan(there.amountIn)
    }
    expect(seen).toBeGreaterThan(50)
  })
})

describe('edges of the bitmap', () => {
  it('are stepped over one word at a time, each step rounding', () => {
    const pool = newV3Pool({
      id: `0x${'0a'.repeat(20)}`,
      token0: TOKEN0.address as `0x${string}`,
      token1: TOKEN1.address as `0x${string}`,
      feePips: 100,
      tickSpacing: 1,
    })
    pool.sqrtPriceX96 = sqrtPriceAtTick(0)
    changeLiquidity(pool, -2000, 2000, 10n ** 12n)
    const whole = quoteExactIn(pool, true, 10n ** 30n)!
    // All there is: words end at 0, -256, -512 … -1792, then comes the position's own tick.
    expect(quoteExactIn(pool, true, whole.amountIn)).toMatchObject({
      filled: true,
      steps: 1 + 7 + 1,
      ticksCrossed: 1,
    })
    expect(whole.filled).toBe(false)
    const merged =
      (((10n ** 12n) << 96n) * (sqrtPriceAtTick(0) - sqrtPriceAtTick(-2000))) /
      sqrtPriceAtTick(0) /
      sqrtPriceAtTick(-2000)
    expect(whole.amountIn).toBeGreaterThan(merged)
  })

  it('keeps words as the contract stores them', () => {
    const random = seeded(6)
    for (let i = 0; i < 200; i++) {
      const value = random.bits(256)
      expect(wordToBigInt(bigIntToWord(value))).toBe(value)
    }
    const pool = randomPool(random)
    for (const [position, word] of pool.bitmap) {
      let expected = 0n
      for (const tick of pool.ticks.keys()) {
        const compressed = tick / pool.tickSpacing
        if (compressed >> 8 === position) expected |= 1n << BigInt(compressed & 255)
      }
      expect(wordToBigInt(word)).toBe(expected)
    }
  })

  it('counts the steps the contract takes where there is nothing to trade with', () => {
    const pool = spacingOne()
    // From tick 0 down, words end at 0, -256 … -887040, then the lowest tick: 3,466 words and the first.
    const nothing = { amountOut: 0n, amountIn: 0n, filled: false }
    expect(quoteExactIn(pool, true, 5n)).toMatchObject({ ...nothing, steps: 3467 })
    expect(quoteExactOut(pool, false, 5n)).toMatchObject({ ...nothing, steps: 3466 })
    changeLiquidity(pool, 800_000, 800_001, 10n ** 18n)
    expect(quoteExactIn(pool, false, 1n)!.steps).toBeGreaterThan(3000)
  })

  it('stops after the maximum number of steps, unfilled', () => {
    const pool = spacingOne()
    changeLiquidity(pool, MIN_TICK, MAX_TICK, 10n ** 18n)
    const whole = quoteExactIn(pool, true, 10n ** 30n)!
    expect(whole).toMatchObject({ filled: true })
    expect(whole.steps).toBeGreaterThan(1000)
    expect(quoteExactIn(pool, true, 10n ** 30n, whole.steps)).toEqual(whole)
    expect(quoteExactIn(pool, true, 10n ** 30n, 400)).toMatchObject({ filled: false, steps: 400 })
    expect(quoteExactOut(pool, true, whole.amountOut, 400)).toMatchObject({ filled: false, steps: 400 })
    expect(quoteExactIn(pool, true, 10n ** 12n, 400)).toMatchObject({ filled: true })
  })

  it('forgets what was removed', () => {
    const pool = randomPool(seeded(9))
    const before = JSON.stringify([[...pool.ticks], [...pool.bitmap.keys()], pool.liquidity], text)
    const edge = pool.tickSpacing * 7
    changeLiquidity(pool, -edge, edge, 5n)
    changeLiquidity(pool, -edge, edge, -5n)
    expect(JSON.stringify([[...pool.ticks], [...pool.bitmap.keys()], pool.liquidity], text)).toBe(before)
    expect(() => changeLiquidity(pool, -edge, edge, -5n)).toThrow(RangeError)
  })
})

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value)

function spacingOne(): V3Pool {
  const tokens = { token0: TOKEN0.address as `0x${string}`, token1: TOKEN1.address as `0x${string}` }
  const pool = newV3Pool({ id: `0x${'0a'.repeat(20)}`, ...tokens, feePips: 100, tickSpacing: 1 })
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  return pool
}
