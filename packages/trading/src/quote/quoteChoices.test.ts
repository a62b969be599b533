import { feeOf } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import type { TradeParams } from '../types.ts'
import {
  crypto,
  curve,
  ETH,
  ETHER,
  ethUsdg,
  JUNK,
  LAUNCHED,
  NOW_S,
  openWorld,
  refused,
  tradeParams,
  USDG,
  v2,
  v3,
  WETH,
} from './test/fakeWorld.ts'

describe('a launch', () => {
  const buy = tradeParams({ tokenOut: LAUNCHED, notionalUsd: 25 })

  it('is traded on its curve, with the fee deducted first', async () => {
    const world = openWorld({ curves: [curve()] })
    const quote = await world.quoter.quoteTrade(buy)
    expect(quote.swapIn).toBe(ETHER / 100n - feeOf(ETHER / 100n, 50))
    expect(quote.routes.map(({ venue, way }) => [venue, way?.kind])).toEqual([['venue_curve', 'curve']])
    const sale = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: LAUNCHED, tokenOut: 'ETH', amountIn: 10n ** 24n }),
    )
    expect(sale).toMatchObject({ fee: { side: 'output', token: ETH }, swapIn: 10n ** 24n })
    expect(sale.routes[0]!.way).toMatchObject({ kind: 'curve', side: 'sell' })
  })

  it('has no route but a reason in its first seconds, or past its end', async () => {
    const code = async (over: Parameters<typeof curve>[0]) => {
      const quote = await openWorld({ curves: [curve(over)] }).quoter.quoteTrade(buy)
      return [quote.routes.length, quote.failed[0]?.code]
    }
    expect(await code({ launchedAtS: NOW_S })).toEqual([0, 'SNIPE_TAX'])
    expect(await code({ graduated: true })).toEqual([0, 'CURVE_GRADUATED'])
    expect(await code({ pair: USDG })).toEqual([0, 'CURVE_PAIR'])
  })

  it('that graduated trades in its pool', async () => {
    const pool = v2(LAUNCHED, WETH, 10n ** 26n, 100n * ETHER)
    const quote = await openWorld({ curves: [curve({ graduated: true })], pools: [pool] }).quoter.quoteTrade(
      buy,
    )
    expect([quote.routes.length, quote.failed[0]?.code]).toEqual([1, 'CURVE_GRADUATED'])
  })

  it('is omitted with its venue', async () => {
    const world = openWorld({ curves: [curve()], pools: [v2(LAUNCHED, WETH, 10n ** 26n, 100n * ETHER)] })
    const venues = async (...names: TradeParams['venues']) =>
      (await world.quoter.quoteTrade({ ...buy, venues: names })).routes.map(({ venue }) => venue)
    expect(await venues('venue_pool')).toEqual(['venue_pool'])
    expect(await venues('venue_curve')).toEqual(['venue_curve'])
  })
})

describe('the requested route', () => {
  it('is the only one returned, even if another is better', async () => {
    const world = openWorld({ pools: [ethUsdg(1_000n), ethUsdg(10n)] })
    const all = (await world.quoter.quoteTrade(tradeParams())).routes
    for (const { id } of all) {
      const { routes } = await world.quoter.quoteTrade(tradeParams({ routeId: id }))
      expect(routes.map((route) => route.id)).toEqual([id])
    }
  })

  it('is the same split again after the pools moved', async () => {
    const [a, b] = [ethUsdg(20n), ethUsdg(20n)]
    const world = openWorld({ pools: [a, b] })
    const [best] = (await world.quoter.quoteTrade(tradeParams({ notionalUsd: 10_000 }))).routes
    if (a.version !== 'v2') throw new Error('not v2')
    // Its price fell: its share shrinks, and a third pool is now the best.
    const [up, down] = a.token0 === WETH ? [103n, 97n] : [97n, 103n]
    Object.assign(a, { reserve0: (a.reserve0 * up) / 100n, reserve1: (a.reserve1 * down) / 100n })
    world.index.add(ethUsdg(21n))
    const again = await world.quoter.quoteTrade(tradeParams({ notionalUsd: 10_000, routeId: best!.id }))
    expect(again.routes.map(({ id }) => id)).toEqual([best!.id])
    expect(again.routes[0]!.label).not.toBe(best!.label)
  })

  it('is refused if not available, and always for an aggregator', async () => {
    const { quoter } = openWorld({ pools: [ethUsdg()] })
    expect(await refused(quoter.quoteTrade(tradeParams({ routeId: '0x12' })))).toBe('NO_ROUTE')
    const id = crypto.keccakText(`aggregator_2:${ETH}:${USDG}`).slice(0, 34)
    expect(await refused(quoter.quoteTrade(tradeParams({ routeId: id })))).toEqual(['QUOTE_ONLY', 'route_id'])
  })

  it('keeps the reason of a curve that refuses', async () => {
    const quoted = await openWorld({ curves: [curve()] }).quoter.quoteTrade(
      tradeParams({ tokenOut: LAUNCHED, notionalUsd: 25 }),
    )
    // Curve ids derive from the curve itself.
    const sniped = curve({ launchedAtS: NOW_S })
    const world = openWorld({ curves: [sniped] })
    const { id } = (await world.quoter.quoteTrade(tradeParams({ tokenOut: LAUNCHED, notionalUsd: 25 })))
      .failed[0]!
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenOut: LAUNCHED, notionalUsd: 25, routeId: id }),
    )
    expect([quote.routes, quote.failed[0]?.code, id === quoted.routes[0]!.id]).toEqual([
      [],
      'SNIPE_TAX',
      false,
    ])
  })
})

describe('a fast quote', () => {
  it('checks only the winners of the last full scan', async () => {
    const pools = Array.from({ length: 9 }, (_, i) => ethUsdg(BigInt(1_000 + i)))
    const world = openWorld({ pools })
    const first = await world.quoter.quoteTrade(tradeParams({ fast: true }))
    expect(first.candidates).toBeGreaterThanOrEqual(9)
    const second = await world.quoter.quoteTrade(tradeParams({ fast: true }))
    expect(second.candidates).toBe(4)
    expect(second.routes[0]).toEqual(first.routes[0])
    world.time.nowMs += 20_000
    expect((await world.quoter.quoteTrade(tradeParams({ fast: true }))).candidates).toBe(4)
  })

  it('scans again if no winner works, and after a minute', async () => {
    const [small, large] = [v3(JUNK, USDG, 10n ** 9n), v3(JUNK, USDG, 10n ** 20n, 10_000)]
    const world = openWorld({ pools: [small] })
    const trade = (amountIn: bigint) => tradeParams({ tokenIn: JUNK, tokenOut: 'USDG', amountIn, fast: true })
    expect((await world.quoter.quoteTrade(trade(1_000n))).routes.length).toBe(1)
    world.index.add(large)
    expect((await world.quoter.quoteTrade(trade(1_000n))).routes.length).toBe(1)
    expect((await world.quoter.quoteTrade(trade(10n ** 12n))).routes.map(({ label }) => label)).toEqual([
      '0x0000…00f0 → USDG (v3 1%)',
    ])
  })
})
