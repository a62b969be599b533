import { describe, expect, it } from 'vitest'
import { seeded } from '../../test/randomPool.ts'
import type { Address, Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { newV2Pool, newV3Pool, newV4Pool } from '../pools/create.ts'
import { changeLiquidity } from '../pools/liquidity.ts'
import { quoteExactIn } from '../pools/quote.ts'
import { sqrtPriceAtTick } from '../pools/tickMath.ts'
import type { Pool } from '../pools/types.ts'
import { NATIVE } from '../router/constants.ts'
import { findRoutes, requote } from './findRoutes.ts'
import { createPoolIndex } from './poolIndex.ts'
import { splitRoute } from './splitRoute.ts'
import type { RouteQuote } from './types.ts'

const crypto = await createCrypto()
const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [WETH, USDG, PARTNER, TOKEN, OTHER] = [0x1001, 0x1002, 0x1003, 0x2001, 0x2002].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const ETHER = 10n ** 18n

let nextId = 0x9000
const sorted = (a: Address, b: Address): [Address, Address] => (a < b ? [a, b] : [b, a])
function v2(a: Address, b: Address, reserveA: bigint, reserveB: bigint): Pool {
  const [token0, token1] = sorted(a, b)
  const pool = newV2Pool({ id: address(nextId++), token0, token1 })
  return Object.assign(pool, {
    reserve0: a === token0 ? reserveA : reserveB,
    reserve1: a === token0 ? reserveB : reserveA,
  })
}
function v3(a: Address, b: Address, liquidity: bigint, feePips = 3000): Pool {
  const [token0, token1] = sorted(a, b)
  const pool = newV3Pool({ id: address(nextId++), token0, token1, feePips, tickSpacing: 60 })
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  changeLiquidity(pool, -6000, 6000, liquidity)
  return pool
}
function v4(a: Address, b: Address, liquidity: bigint, hooks: Address = NATIVE): Pool {
  const [currency0, currency1] = sorted(a, b)
  const pool = newV4Pool(crypto.keccakText(`pool ${nextId++}`), {
    currency0,
    currency1,
    fee: 3000,
    tickSpacing: 60,
    hooks,
  })
  pool.sqrtPriceX96 = sqrtPriceAtTick(0)
  changeLiquidity(pool, -6000, 6000, liquidity)
  return pool
}
function indexOf(...pools: Pool[]) {
  const index = createPoolIndex({ weth: WETH, hubs: [NATIVE, WETH, USDG, PARTNER] })
  for (const pool of pools) index.add(pool)
  return index
}
const path = (route: { hops: readonly { pool: Pool }[] }): Hex[] => route.hops.map((hop) => hop.pool.id)

describe('the index', () => {
  it('takes ETH and WETH for one place and forgets what is removed', () => {
    const [a, b] = [v3(WETH, TOKEN, ETHER), v4(NATIVE, TOKEN, ETHER)]
    const index = indexOf(a, b, v4(NATIVE, WETH, ETHER))
    expect(index.hubs).toEqual([WETH, USDG, PARTNER])
    expect(index.between(NATIVE, TOKEN)).toEqual([a, b])
    expect(index.between(TOKEN, WETH)).toEqual([a, b])
    expect(index.of(TOKEN)).toEqual([a, b])
    index.add(a)
    expect(index.between(NATIVE, TOKEN)).toEqual([b, a])
    expect(index.remove(a.id)).toBe(true)
    expect(index.remove(a.id)).toBe(false)
    expect(index.between(TOKEN, WETH)).toEqual([b])
    expect(index.size).toBe(2)
  })
})

describe('routes', () => {
  it('are found over one, two and three pools and through every hub', () => {
    const direct = v3(TOKEN, OTHER, ETHER)
    const [tokenEth, otherEth] = [v3(TOKEN, WETH, 1000n * ETHER), v4(NATIVE, OTHER, 1000n * ETHER)]
    const [tokenUsd, usdPartner, partnerOther] = [
      v2(TOKEN, USDG, 10n ** 21n, 10n ** 21n),
      v3(USDG, PARTNER, 1000n * ETHER),
      v4(PARTNER, OTHER, 1000n * ETHER),
    ]
    const index = indexOf(direct, tokenEth, otherEth, tokenUsd, usdPartner, partnerOther)
    const { routes } = findRoutes(
      { index, crypto },
      { tokenIn: TOKEN, tokenOut: OTHER, amountIn: ETHER / 100n },
    )
    expect(routes.map(path)).toEqual(
      expect.arrayContaining([
        [direct.id],
        [tokenEth.id, otherEth.id],
        [tokenUsd.id, usdPartner.id, partnerOther.id],
      ]),
    )
    expect(routes.length).toBe(3)
    for (const route of routes) expect(chained(route)).toBe(true)
    expect(routes.map((route) => route.netOut)).toEqual(
      [...routes.map((route) => route.netOut)].sort((a, b) => (a < b ? 1 : -1)),
    )
    expect(
      findRoutes({ index, crypto }, { tokenIn: TOKEN, tokenOut: OTHER, amountIn: ETHER / 100n, maxHops: 2 })
        .routes.length,
    ).toBe(2)
    expect(
      findRoutes(
        { index, crypto },
        { tokenIn: TOKEN, tokenOut: OTHER, amountIn: ETHER / 100n, maxHops: 1 },
      ).routes.map(path),
    ).toEqual([[direct.id]])
  })

  it('have the best of all ways there are, by trying every one', () => {
    const random = seeded(21)
    const hubs = [WETH, USDG, PARTNER]
    for (let round = 0; round < 60; round++) {
      const pools: Pool[] = []
      const tokens = [WETH, USDG, PARTNER, TOKEN, OTHER]
      for (let i = 0; i < 14; i++) {
        const a = tokens[random.below(5)]!
        const b = tokens[random.below(5)]!
        if (a === b) continue
        const make = [
          () => v2(a, b, 10n ** 18n + random.bits(70), 10n ** 18n + random.bits(70)),
          () => v3(a, b, 1n + random.bits(80)),
          () => v4(a, b, 1n + random.bits(80)),
        ]
        pools.push(make[random.below(3)]!())
      }
      const index = indexOf(...pools)
      const amountIn = 1n + random.bits(60)
      const { routes } = findRoutes({ index, crypto }, { tokenIn: TOKEN, tokenOut: OTHER, amountIn })
      const exhaustive = everyWay(pools, TOKEN, OTHER, amountIn, hubs)
      expect(routes[0]?.amountOut ?? 0n).toBe(exhaustive)
      expect(new Set(routes.map((route) => route.id)).size).toBe(routes.length)
    }
  })

  it('leave out pools that run out or that only their hook can quote', () => {
    const [small, hooked, plain] = [
      v3(TOKEN, USDG, 1000n),
      v4(TOKEN, USDG, ETHER, `0x${'00'.repeat(19)}44`),
      v3(TOKEN, USDG, ETHER),
    ]
    const routes = findRoutes(
      { index: indexOf(small, hooked, plain), crypto },
      { tokenIn: TOKEN, tokenOut: USDG, amountIn: 10n ** 9n },
    )
    expect(routes.routes.map(path)).toEqual([[plain.id]])
    expect(routes.byCall.map(path)).toEqual([[hooked.id]])
  })

  it('leave out swaps of more steps than a block has gas for', () => {
    const pool = newV3Pool({
      id: address(nextId++),
      token0: TOKEN,
      token1: OTHER,
      feePips: 100,
      tickSpacing: 1,
    })
    pool.sqrtPriceX96 = sqrtPriceAtTick(0)
    changeLiquidity(pool, -887272, 887272, ETHER)
    const request = { tokenIn: TOKEN, tokenOut: OTHER }
    const index = indexOf(pool)
    expect(quoteExactIn(pool, true, 10n ** 30n)).toMatchObject({ filled: true })
    expect(findRoutes({ index, crypto }, { ...request, amountIn: 10n ** 30n }).routes).toEqual([])
    expect(findRoutes({ index, crypto }, { ...request, amountIn: ETHER }).routes.length).toBe(1)
  })

  it('are ranked after gas, where gas costs something', () => {
    const direct = v3(TOKEN, OTHER, 10n ** 18n, 10_000)
    const index = indexOf(direct, v3(TOKEN, USDG, 10n ** 21n, 100), v3(USDG, OTHER, 10n ** 21n, 100))
    const request = { tokenIn: TOKEN, tokenOut: OTHER, amountIn: 10n ** 12n }
    expect(findRoutes({ index, crypto }, request).routes[0]!.hops.length).toBe(2)
    const dear = { gasPriceWei: 10n ** 6n, outAtomsPerEth: 10n ** 18n }
    const ranked = findRoutes({ index, crypto }, { ...request, gasCost: dear }).routes
    expect(ranked[0]!.hops.length).toBe(1)
    expect(ranked[0]!.netOut).toBe(ranked[0]!.amountOut - BigInt(ranked[0]!.gas) * 10n ** 6n)
  })

  it('keep their ids, and quote anew for another amount', () => {
    const index = indexOf(v3(TOKEN, USDG, ETHER), v2(USDG, WETH, ETHER, ETHER))
    const request = { tokenIn: TOKEN, tokenOut: NATIVE, amountIn: 10n ** 15n }
    const [first] = findRoutes({ index, crypto }, request).routes
    const [again] = findRoutes({ index, crypto }, { ...request, amountIn: 2n * 10n ** 15n }).routes
    expect(again!.id).toBe(first!.id)
    expect(first!.id).toMatch(/^0x[0-9a-f]{32}$/)
    expect(requote(first!, { ...request, amountIn: 2n * 10n ** 15n })).toEqual(again)
    expect(requote(first!, { ...request, amountIn: 10n ** 40n })).toBeUndefined()
  })

  it('are none between a token and itself, ETH and WETH, or for nothing', () => {
    const index = indexOf(v3(TOKEN, WETH, ETHER))
    const none = { routes: [], byCall: [] }
    expect(findRoutes({ index, crypto }, { tokenIn: TOKEN, tokenOut: TOKEN, amountIn: 5n })).toEqual(none)
    expect(findRoutes({ index, crypto }, { tokenIn: NATIVE, tokenOut: WETH, amountIn: 5n })).toEqual(none)
    expect(findRoutes({ index, crypto }, { tokenIn: TOKEN, tokenOut: WETH, amountIn: 0n })).toEqual(none)
  })

  it('look at no unrelated pool, and at no more than the best of a crowded pair', () => {
    const deep = v3(TOKEN, USDG, 10n ** 20n)
    const index = indexOf(...Array.from({ length: 100 }, () => v3(TOKEN, USDG, 10n ** 12n)), deep)
    const seen: Pool[] = []
    const candidates: typeof index.candidates = (...params) => {
      const pools = index.candidates(...params)
      seen.push(...pools)
      return pools
    }
    for (let i = 0; i < 500; i++) index.add(v2(address(0x50000 + i), WETH, ETHER, ETHER))
    const { routes } = findRoutes(
      { index: { ...index, candidates }, crypto },
      { tokenIn: TOKEN, tokenOut: USDG, amountIn: 10n ** 9n },
    )
    expect(path(routes[0]!)).toEqual([deep.id])
    expect(routes.length).toBeLessThanOrEqual(24)
    expect(seen.length).toBeLessThanOrEqual(24)
    expect(seen.every((pool) => pool.token0 === USDG || pool.token1 === USDG)).toBe(true)
  })
})

describe('a split', () => {
  const request = { tokenIn: TOKEN, tokenOut: USDG, amountIn: 10n ** 17n }

  it('beats one route where pools are shallow, and adds up', () => {
    const index = indexOf(v3(TOKEN, USDG, ETHER), v3(TOKEN, USDG, ETHER, 3000), v2(TOKEN, USDG, ETHER, ETHER))
    const { routes } = findRoutes({ index, crypto }, request)
    const split = splitRoute(routes, request)!
    expect(split.legs.length).toBe(3)
    expect(split.legs.reduce((sum, leg) => sum + leg.amountIn, 0n)).toBe(request.amountIn)
    expect(split.legs.reduce((sum, leg) => sum + leg.amountOut, 0n)).toBe(split.amountOut)
    expect(split.amountOut).toBeGreaterThan(routes[0]!.amountOut)
    const pools = split.legs.flatMap(path)
    expect(new Set(pools).size).toBe(pools.length)
    for (const leg of split.legs)
      expect(quoteExactIn(leg.hops[0]!.pool, leg.hops[0]!.zeroForOne, leg.amountIn)!.amountOut).toBe(
        leg.amountOut,
      )
  })

  it('is not tried where no single route carries the whole', () => {
    const index = indexOf(v3(TOKEN, USDG, ETHER), v3(TOKEN, USDG, ETHER))
    const most = quoteExactIn(index.between(TOKEN, USDG)[0]!, true, 10n ** 30n)!.amountIn
    expect(findRoutes({ index, crypto }, { ...request, amountIn: most + 10n }).routes).toEqual([])
  })

  it('is left when gas eats the gain, or when there is one way only', () => {
    const index = indexOf(v3(TOKEN, USDG, ETHER), v3(TOKEN, USDG, ETHER))
    const dear = { ...request, gasCost: { gasPriceWei: 10n ** 12n, outAtomsPerEth: 10n ** 18n } }
    expect(splitRoute(findRoutes({ index, crypto }, dear).routes, dear)).toBeUndefined()
    const alone = indexOf(v3(TOKEN, USDG, ETHER))
    expect(splitRoute(findRoutes({ index: alone, crypto }, request).routes, request)).toBeUndefined()
    expect(splitRoute([], request)).toBeUndefined()
  })
})

function chained(route: RouteQuote): boolean {
  let amount = route.amountIn
  return route.hops.every((hop, i) => {
    amount = quoteExactIn(hop.pool, hop.zeroForOne, amount)!.amountOut
    return amount === route.hopAmountsOut[i]
  })
}

/** Every simple path over the hubs, pool by pool: slow and obviously complete. */
function everyWay(
  pools: Pool[],
  at: Address,
  to: Address,
  amount: bigint,
  hubs: Address[],
  hops = 1,
): bigint {
  let best = 0n
  for (const pool of pools) {
    const next = pool.token0 === at ? pool.token1 : pool.token1 === at ? pool.token0 : undefined
    if (!next || (next !== to && (!hubs.includes(next) || hops === 3))) continue
    const swap = quoteExactIn(pool, pool.token0 === at, amount)
    if (!swap?.filled || swap.amountOut === 0n) continue
    const out =
      next === to
        ? swap.amountOut
        : everyWay(
            pools,
            next,
            to,
            swap.amountOut,
            hubs.filter((hub) => hub !== next),
            hops + 1,
          )
    if (out > best) best = out
  }
  return best
}
