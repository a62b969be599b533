import { encodeFunctionResult, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { aggregatorV3Abi } from './abis/reading.ts'
import type { Address, Hex } from './bytes/hex.ts'
import { type MarkSource, markCalls, markPriceIn } from './marks.ts'

const NOW_S = 1_800_000_000
const [TOKEN, FEED] = ['0x0000000000000000000000000000000000000001', `0x${'fe'.repeat(20)}`] as [
  Address,
  Address,
]
const feed = {
  address: FEED,
  decimals: 8,
  heartbeat_s: 86_400,
  deviation_bps: 50,
  session: 'stock',
} as const
const round = (price: number, ageS = 60): Hex =>
  encodeFunctionResult({
    abi: aggregatorV3Abi,
    functionName: 'latestRoundData',
    result: [1n, BigInt(Math.round(price * 1e8)), 0n, BigInt(NOW_S - ageS), 1n],
  })
const flag = (on: boolean): Hex => numberToHex(on ? 1 : 0, { size: 32 })
const open = { nowS: NOW_S, stocksOpen: true }

describe('a stock’s mark', () => {
  const frozen = { to: TOKEN, data: '0x12345678' as Hex }
  const stock: MarkSource = { kind: 'feed', token: TOKEN, symbol: 'NVDA', feed, frozen }

  it('is read from its feed and its issuer', () => {
    expect(markCalls(stock).map(({ to }) => to)).toEqual([FEED, TOKEN])
    expect(markPriceIn(stock, [round(180), flag(false)], open)).toMatchObject({ stale: false })
  })

  it('is stale while the issuer holds the feed still, or does not say', () => {
    for (const answer of [flag(true), null]) {
      const priced = markPriceIn(stock, [round(180), answer], open)
      expect(priced).toMatchObject({ priceE18: 180n * 10n ** 18n, stale: true, staleWhy: 'frozen' })
    }
  })

  it('is stale past its heartbeat and outside its hours', () => {
    const at = (ageS: number, stocksOpen: boolean) =>
      markPriceIn(stock, [round(180, ageS), flag(false)], { nowS: NOW_S, stocksOpen })
    expect(at(86_400, true)).toMatchObject({ stale: false })
    expect(at(86_401, true)).toMatchObject({ staleWhy: 'heartbeat' })
    expect(at(60, false)).toMatchObject({ staleWhy: 'closed' })
  })
})

describe('USDG', () => {
  const watched: MarkSource = {
    kind: 'fixed',
    token: TOKEN,
    symbol: 'USDG',
    feed: { ...feed, session: 'always' },
  }
  const stale = (answer: Hex | null) => {
    const priced = markPriceIn(watched, [answer], open)
    expect(priced).toMatchObject({ priceE18: 10n ** 18n, source: 'fixed' })
    return 'why' in priced ? undefined : priced.stale
  }

  it('is a dollar without a feed', () => {
    expect(markCalls({ ...watched, feed: null })).toEqual([])
    expect(markPriceIn({ ...watched, feed: null }, [], open)).toMatchObject({ stale: false })
  })

  it('is 1 within one percent, and stale beyond', () => {
    expect([0.99, 0.995, 1, 1.01].map((price) => stale(round(price)))).toEqual([false, false, false, false])
    expect([0.9899, 0.5, 1.0101].map((price) => stale(round(price)))).toEqual([true, true, true])
  })

  it('is stale if its feed is silent, old or wrong', () => {
    for (const answer of [null, '0x' as Hex, round(0), round(1, 86_401), round(1, -600)])
      expect(stale(answer)).toBe(true)
  })
})

it('reads rounds as a general decoder does', () => {
  const source: MarkSource = {
    kind: 'feed',
    token: TOKEN,
    symbol: 'ETH',
    feed: { ...feed, session: 'always' },
    frozen: null,
  }
  const read = (result: readonly [bigint, bigint, bigint, bigint, bigint]) =>
    markPriceIn(
      source,
      [encodeFunctionResult({ abi: aggregatorV3Abi, functionName: 'latestRoundData', result })],
      open,
    )
  const at = BigInt(NOW_S)
  expect(read([(1n << 80n) - 1n, 3n, 5n, at, 0n])).toMatchObject({
    roundId: (1n << 80n) - 1n,
    priceE18: 3n * 10n ** 10n,
  })
  expect(read([9n, -3n, 5n, at, 9n])).toEqual({ why: 'the feed answers no price' })
  expect(read([9n, 3n, 5n, 0n, 9n])).toEqual({ why: 'the round is not complete' })
  expect(read([9n, 3n, 5n, at, 8n])).toEqual({ why: 'the round carries an older answer' })
  for (const answer of ['0x', `0x${'0'.repeat(5 * 64 - 2)}`, `0x${'z'.repeat(5 * 64)}`] as Hex[])
    expect(markPriceIn(source, [answer], open)).toEqual({ why: 'the answer cannot be read' })
})
