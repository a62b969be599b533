import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FakePool, fakeMarket, HOOK, keyOf, pins, TOKEN, USDG } from '../../test/fakeMarket.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { readMarket } from './market.ts'
import { openNode } from './node.ts'
import { ownMark, readPrices } from './price.ts'

const pool = (fee: number, bid: bigint, ask: bigint, hooks?: `0x${string}`): FakePool => ({
  key: keyOf(fee, hooks),
  bid,
  ask,
})
let nowMs = 1_800_000_000_000
const clock = () => nowMs
const marketOf = (pools: FakePool[]) => fakeMarket(pools, () => nowMs / 1_000)
const micro = (price: { num: bigint; den: bigint } | undefined) =>
  price && Number((price.num * 10n ** 18n) / price.den)
const pricesOn = async (node: ReturnType<typeof fakeMarket>, own = openNode(node, pins, clock)) => {
  const prices = await readPrices(own, pins, TOKEN, { nowMs })
  return prices && { bid: micro(prices.bid), ask: micro(prices.ask) }
}

describe('the prices of a token without a mark', () => {
  it('are the best bid and the best ask of all its pools', async () => {
    const node = marketOf([pool(3_000, 990_000n, 1_010_000n), pool(500, 950_000n, 1_002_000n)])
    const prices = await pricesOn(node)
    expect(prices!.bid).toBeCloseTo(990_000, -1)
    expect(prices!.ask).toBeCloseTo(1_002_000, -1)
  })
  it('are not lowered by a pool that sells it for a tenth', async () => {
    const node = marketOf([pool(3_000, 990_000n, 1_010_000n), pool(500, 90_000n, 100_000n)])
    const prices = await pricesOn(node)
    expect(prices!.bid).toBeCloseTo(990_000, -1)
    expect(prices!.ask).toBeCloseTo(100_000, -1)
  })
  it('come from pools of unusual fees too, by their logs', async () => {
    expect(await pricesOn(marketOf([pool(2_500, 990_000n, 1_010_000n)]))).not.toBeNull()
  })
  it('do not come from an unreviewed hook, or a fee over the limit', async () => {
    expect(await pricesOn(marketOf([pool(3_000, 990_000n, 1_010_000n, HOOK)]))).toBeNull()
    expect(await pricesOn(marketOf([pool(900_000, 100_000n, 10_000_000n)]))).toBeNull()
  })
  it('are null without a pool', async () => {
    expect(await pricesOn(marketOf([]))).toBeNull()
  })
})

describe('pools by their logs', () => {
  const UNUSUAL = pool(2_500, 990_000n, 1_010_000n)
  const USUAL = pool(3_000, 990_000n, 1_010_000n)
  beforeEach(() => vi.useFakeTimers({ now: nowMs }))
  afterEach(() => vi.useRealTimers())

  it('fall back to the usual fees if the node refuses the range, and are queried again later', async () => {
    const node = marketOf([USUAL, UNUSUAL])
    node.logs = 'refused'
    const own = openNode(node, pins, clock)
    expect(await pricesOn(node, own)).not.toBeNull()
    const queries = () => node.exchanges.filter((calls) => calls.includes('eth_getLogs')).length
    expect(queries()).toBe(1)
    await pricesOn(node, own)
    expect(queries()).toBe(1)
    nowMs += 600_001
    node.logs = 'served'
    expect(await own.findVenues(TOKEN)).toHaveLength(2)
    expect(queries()).toBe(2)
  })
  it('do not hold up a trade when the node is silent', async () => {
    vi.useRealTimers()
    const node = marketOf([USUAL])
    node.logs = 'silent'
    expect(await openNode(node, pins, clock).findVenues(TOKEN)).toHaveLength(1)
  })
  it('are scanned from where the last scan ended, with an overlap', async () => {
    const node = marketOf([UNUSUAL])
    const own = openNode(node, pins, clock)
    await own.findVenues(TOKEN)
    node.head = 20_000
    expect(await own.findVenues(TOKEN)).toHaveLength(1)
    expect(node.scannedFrom).toEqual([0, 5_000])
  })
  it('keep the oldest when there are too many', async () => {
    const pools = Array.from({ length: 200 }, (_, i) => pool(2_000 + i, 990_000n, 1_010_000n))
    const venues = await openNode(marketOf(pools), pins, clock).findVenues(TOKEN)
    expect(venues).toHaveLength(24)
    expect(venues[0]).toMatchObject({ hop: { key: { fee: 2_000 } } })
  })
})

describe('the market of a trade', () => {
  const marks = new Map([[USDG, { priceE18: 10n ** 18n, decimals: 6, source: 'fixed' as const }]])
  const market = (node: ReturnType<typeof fakeMarket>, side: 'buy' | 'sell', accepts = false) => {
    const [tokenIn, tokenOut] = side === 'buy' ? [USDG, TOKEN] : [TOKEN, USDG]
    const amountIn = side === 'buy' ? 200_000_000n : 200n * 10n ** 18n
    return readMarket(openNode(node, pins, clock), {
      pins,
      tokenIn,
      tokenOut,
      marks,
      acceptsUnknownHooks: accepts,
      reading: { legs: [{ hops: [], amountIn }], curve: null, taken: amountIn } as unknown as PlanReading,
      venues: new Map(),
    })
  }
  it('is the best output that any pool gives for the whole amount', async () => {
    const node = marketOf([pool(3_000, 990_000n, 1_010_000n), pool(500, 100_000n, 10_000_000n)])
    expect((await market(node, 'buy')).bestOut).toBe((200_000_000n * 10n ** 18n) / 1_010_000n)
    const sale = await market(node, 'sell')
    expect(sale.bestOut).toBe(198_000_000n)
    expect(micro(sale.paid!.bid)).toBeCloseTo(990_000, -1)
  })
  it('has no price from the service', async () => {
    expect(await market(marketOf([]), 'buy')).toMatchObject({ bestOut: null })
    expect(await market(marketOf([]), 'sell')).toEqual({ paid: null, bestOut: null })
  })
  it('counts pools of unknown hooks only for a caller who accepts them', async () => {
    const node = marketOf([pool(3_000, 990_000n, 1_010_000n, HOOK)])
    expect((await market(node, 'buy')).bestOut).toBeNull()
    expect((await market(node, 'buy', true)).bestOut).not.toBeNull()
  })
  it('takes one exchange of quotes once the pools are known, and none for two marks', async () => {
    const node = marketOf([pool(3_000, 990_000n, 1_010_000n)])
    const own = openNode(node, pins, clock)
    const venues = new Map([[TOKEN, await own.findVenues(TOKEN)]])
    node.exchanges.length = 0
    const reading = { legs: [{ hops: [], amountIn: 5n }], curve: null, taken: 5n } as unknown as PlanReading
    const common = { pins, marks, acceptsUnknownHooks: false, reading, venues }
    await readMarket(own, { ...common, tokenIn: USDG, tokenOut: TOKEN })
    expect(node.exchanges).toHaveLength(1)
    await readMarket(own, { ...common, tokenIn: USDG, tokenOut: USDG })
    expect(node.exchanges).toHaveLength(1)
    expect(ownMark(marks, USDG, pins)).toBeDefined()
  })
})
