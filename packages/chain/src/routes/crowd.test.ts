import { describe, expect, it, vi } from 'vitest'
import { randomPool, seeded } from '../../test/randomPool.ts'
import type { Address, Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { newV2Pool, newV3Pool, newV4Pool } from '../pools/create.ts'
import { changeLiquidity } from '../pools/liquidity.ts'
import { quoteExactIn } from '../pools/quote.ts'
import { sqrtPriceAtTick } from '../pools/tickMath.ts'
import type { Pool } from '../pools/types.ts'
import { NATIVE } from '../router/constants.ts'
import { findRoutes } from './findRoutes.ts'
import { createPoolIndex } from './poolIndex.ts'
import { RATED_SIZES, rateOutputs, sizeIndexOf } from './rateOutputs.ts'
import { splitIdOf } from './routeId.ts'

vi.setConfig({ testTimeout: 180_000 })
const crypto = await createCrypto()
const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [TOKEN, USDG, WETH] = [0x1001, 0x1002, 0x1003].map(address) as [Address, Address, Address]
const ETHER = 10n ** 18n
const SPAM = 6000

let nextId = 0x9000
const at = (
  tick: number,
  bands: [lower: number, upper: number, liquidity: bigint][],
  feePips = 500,
): Pool => {
  const pool = newV3Pool({ id: address(nextId++), token0: TOKEN, token1: USDG, feePips, tickSpacing: 60 })
  pool.sqrtPriceX96 = sqrtPriceAtTick(tick)
  pool.tick = tick
  for (const [lower, upper, liquidity] of bands) changeLiquidity(pool, lower, upper, liquidity)
  return pool
}
const v2 = (reserve0: bigint, reserve1: bigint): Pool =>
  Object.assign(newV2Pool({ id: address(nextId++), token0: TOKEN, token1: USDG }), { reserve0, reserve1 })
const hooked = (liquidity: bigint): Pool => {
  const hooks: Address = `0x${'00'.repeat(19)}44`
  const key = { currency0: TOKEN, currency1: USDG, fee: 3000, tickSpacing: 60, hooks }
  const pool = newV4Pool(crypto.keccakText(`${nextId++}`), key)
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  changeLiquidity(pool, -6000, 6000, liquidity)
  return pool
}

/** Pools that are cheap to open in thousands, each kind made to look deep or expensive by some measure. */
function spam(i: number): Pool {
  switch (i % 6) {
    case 0: // Next to no money, at a price where it counts as endless liquidity.
      return at(839_940, [[839_940, 840_060, 10n ** 30n]])
    case 1:
      return at(-839_941, [[-840_060, -839_940, 10n ** 30n]])
    case 2: // Nothing to give, but for the other direction.
      return at(0, [[0, 60, 10n ** 24n]])
    case 3:
      return v2(10n ** 30n + BigInt(i), 1_000n)
    case 4:
      return at(0, [])
    default: // A better price than anybody's, for dust.
      return at(30, [[-600, 600, 10n ** 9n]], 0)
  }
}

const request = { tokenIn: TOKEN, tokenOut: USDG }
const AMOUNTS = [1_000n, 10n ** 9n, 10n ** 15n, ETHER, 300n * ETHER, 9_000n * ETHER]
function bestOfAll(pools: Iterable<Pool>, amountIn: bigint): bigint {
  let best = 0n
  for (const pool of pools) {
    const swap = quoteExactIn(pool, true, amountIn, 400)
    if (swap?.filled && swap.amountOut > best) best = swap.amountOut
  }
  return best
}
const routesOf = (index: ReturnType<typeof createPoolIndex>, amountIn: bigint) =>
  findRoutes({ index, crypto }, { ...request, amountIn }).routes[0]?.amountOut ?? 0n

describe('a rating', () => {
  it('approximates the pool’s output, and its depth for larger amounts', () => {
    const random = seeded(5)
    const outputs = new Float64Array(RATED_SIZES)
    let compared = 0
    for (let i = 0; i < 400; i++) {
      const pool = randomPool(random)
      const zeroForOne = random.below(2) === 0
      rateOutputs(pool, zeroForOne, outputs)
      for (let size = 0; size < RATED_SIZES; size++) {
        // Of a few atoms rounding takes too much.
        const amountIn = 1n << BigInt(3 * (size + 1))
        const swap = quoteExactIn(pool, zeroForOne, amountIn)
        if (!swap || size < 9 || swap.steps > 100 || swap.amountOut < 10n ** 9n) continue
        const error = Math.abs(Math.abs(outputs[size]!) / Number(swap.amountOut) - 1)
        expect(error, `${i} ${size} ${swap.amountOut}`).toBeLessThan(1e-6)
        if (swap.steps < 100) expect(swap.filled).toBe(outputs[size]! > 0)
        compared++
      }
      for (let size = 1; size < RATED_SIZES; size++)
        expect(Math.abs(outputs[size]!)).toBeGreaterThanOrEqual(Math.abs(outputs[size - 1]!))
    }
    expect(compared).toBeGreaterThan(2000)
  })

  it('is for the size at or below the amount', () => {
    expect([1n, 8n, 63n, 64n, 511n, 512n].map(sizeIndexOf)).toEqual([0, 0, 0, 1, 1, 2])
    expect(sizeIndexOf(1n << 200n)).toBe(RATED_SIZES - 1)
  })
})

describe('a crowded pair', () => {
  const good = () => [
    at(0, [[-887_220, 887_220, 10_000n * ETHER]], 500),
    at(0, [[-600, 600, 50_000n * ETHER]], 100),
    v2(40_000n * ETHER, 40_000n * ETHER),
  ]
  const indexed = (pools: Pool[], pinned: Hex[] = []) => {
    const index = createPoolIndex({ weth: WETH, hubs: [], pinned })
    for (const pool of pools) index.add(pool)
    return index
  }

  it.each(['first', 'in the middle', 'last'])('shows its good pools, opened %s', (place) => {
    const crowd = Array.from({ length: SPAM }, (_, i) => spam(i))
    const where = { first: 0, 'in the middle': SPAM / 2, last: SPAM }[place]!
    crowd.splice(where, 0, ...good())
    const index = indexed(crowd)
    for (const amountIn of AMOUNTS) {
      const best = bestOfAll(crowd, amountIn)
      expect(best).toBeGreaterThan(0n)
      expect(routesOf(index, amountIn), `${amountIn}`).toBe(best)
      expect(index.candidates(TOKEN, USDG, amountIn, 'memory').length).toBeLessThanOrEqual(24)
    }
  })

  it('is looked at the same however many there are', () => {
    const readsFor = (count: number): number => {
      let reads = 0
      const crowd = [...good(), ...Array.from({ length: count }, (_, i) => spam(i))].map(
        (pool) =>
          new Proxy(pool, {
            get(target, field, receiver) {
              if (field === 'sqrtPriceX96' || field === 'reserve0') reads++
              return Reflect.get(target, field, receiver)
            },
          }),
      )
      const index = indexed(crowd)
      routesOf(index, ETHER)
      reads = 0
      for (let i = 0; i < 10; i++) routesOf(index, ETHER)
      return reads
    }
    const [few, many] = [readsFor(60), readsFor(SPAM)]
    expect(few).toBeGreaterThan(0)
    expect(many).toBeLessThanOrEqual(1.2 * few)
  })

  it('notices touched changes at once, others in time, and forgets removed pools', () => {
    const crowd = Array.from({ length: 600 }, (_, i) => spam(i))
    const index = indexed(crowd)
    const [told, untold] = [crowd.find((pool) => pool === crowd[4])!, crowd[10]!] as [Pool, Pool]
    const before = routesOf(index, ETHER)
    if (told.version !== 'v3' || untold.version !== 'v3') throw new Error('not what it was made to be')
    changeLiquidity(told, -6000, 6000, 1_000n * ETHER)
    index.touch(told.id)
    const after = routesOf(index, ETHER)
    expect(after).toBeGreaterThan(before)
    expect(after).toBe(quoteExactIn(told, true, ETHER)!.amountOut)

    changeLiquidity(untold, -6000, 6000, 9_000n * ETHER)
    const better = quoteExactIn(untold, true, ETHER)!.amountOut
    let queries = 1
    while (routesOf(index, ETHER) !== better && queries < 1000) queries++
    expect(queries).toBeLessThan(200)

    index.remove(untold.id)
    expect(routesOf(index, ETHER)).toBe(after)
    changeLiquidity(told, -6000, 6000, -1_000n * ETHER)
    index.touch(told.id)
    expect(routesOf(index, ETHER)).toBe(before)
    const again = at(0, [[-6000, 6000, 2_000n * ETHER]])
    index.add(again)
    expect(routesOf(index, ETHER)).toBe(quoteExactIn(again, true, ETHER)!.amountOut)
  })

  it('never hides what is pinned', () => {
    const pin = at(0, [[-600, 600, 10n ** 6n]], 10_000)
    const honest = Array.from({ length: 60 }, (_, i) => at(0, [[-6000, 6000, BigInt(i + 1) * ETHER]]))
    const index = indexed([...honest, pin], [pin.id])
    for (const amountIn of AMOUNTS) expect(index.candidates(TOKEN, USDG, amountIn, 'memory')).toContain(pin)
    expect(indexed([...honest, pin]).candidates(TOKEN, USDG, ETHER, 'memory')).not.toContain(pin)
  })

  it('has its pools with hooks ranked for themselves, and is ranked in both directions', () => {
    const plain = Array.from({ length: 100 }, (_, i) => spam(i))
    const hooks = Array.from({ length: 100 }, (_, i) => hooked(BigInt(i + 1) * ETHER))
    const index = indexed([...plain, ...hooks])
    const { byCall } = findRoutes({ index, crypto }, { ...request, amountIn: ETHER })
    expect(byCall.length).toBeLessThanOrEqual(24)
    expect(byCall.map(({ hops }) => hops[0]!.pool)).toContain(hooks[99])
    const back = { tokenIn: USDG, tokenOut: TOKEN, amountIn: ETHER }
    const there = findRoutes({ index, crypto }, back)
    expect(there.byCall.map(({ hops }) => hops[0]!.pool)).toContain(hooks[99])
    const best = plain
      .map((pool) => quoteExactIn(pool, false, ETHER, 400))
      .reduce((most, swap) => (swap?.filled && swap.amountOut > most ? swap.amountOut : most), 0n)
    // Pools that differ past a float's digits are as good as each other.
    expect((there.routes[0]!.amountOut * 10n ** 9n) / best).toBeGreaterThanOrEqual(10n ** 9n - 1n)
    expect(index.candidates(NATIVE, TOKEN, ETHER, 'memory')).toEqual([])
  })
})

it('names a split by its routes, not by their order', () => {
  const [a, b] = [{ id: '0x01' as Hex }, { id: '0x02' as Hex }]
  expect(splitIdOf(crypto, [a, b])).toBe(splitIdOf(crypto, [b, a]))
  expect(splitIdOf(crypto, [a, b])).toMatch(/^0x[0-9a-f]{32}$/)
  expect(splitIdOf(crypto, [a])).not.toBe(splitIdOf(crypto, [a, b]))
})
