import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hex } from '../engine/types.ts'
import { venuesOf, wishesFor } from './crowd.ts'
import { type MarketWorld, NATIVE, type Pool } from './types.ts'

const token = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`
const [WETH, USDG, PARTNER, TAIL] = [token(1), token(2), token(3), token(4)]
const pool = (currency0: Hex, currency1: Hex): Pool => ({
  version: 3,
  address: token(99),
  currency0,
  currency1,
  fee: 500,
  tickSpacing: 10,
  hooks: NATIVE,
})
const world: MarketWorld = {
  assets: [
    { symbol: 'ETH', token: NATIVE, decimals: 18, feed: null, volatility: 1 },
    { symbol: 'USDG', token: USDG, decimals: 6, feed: null, volatility: 0 },
    { symbol: 'PARTNER', token: PARTNER, decimals: 18, feed: null, volatility: 1 },
  ],
  pools: [pool(WETH, USDG), pool(USDG, PARTNER), pool(WETH, TAIL), pool(PARTNER, TAIL)],
  curves: [{ launchpad: 'pit', address: token(50), token: token(51), pair: NATIVE }],
  partnerPool: null,
  contracts: {
    weth: WETH,
    usdg: USDG,
    permit2: token(10),
    multicall3: token(11),
    universalRouter: token(12),
    v4PoolManager: token(13),
    v4StateView: token(14),
  },
}
const venues = venuesOf(world)
const terms = { seed: 's', tradesPerBlock: 0.4, maxPerBlock: 16, accounts: 5 }

it('sorts pools by their pair and finds the money side', () => {
  expect(venues.core).toHaveLength(2)
  expect(venues.tail).toHaveLength(2)
  expect(venues.core.map((venue) => venue.kind === 'pool' && venue.base)).toEqual([1, 0])
})

it('creates the same wishes for the same block, at the given rate, within bounds', () => {
  let count = 0
  const kinds = new Set<string>()
  for (let block = 1n; block <= 2_000n; block++) {
    const wishes = wishesFor(terms, venues, block)
    expect(wishesFor(terms, venues, block)).toEqual(wishes)
    count += wishes.length
    for (const wish of wishes) {
      kinds.add(`${wish.venue.kind} ${wish.side}`)
      expect(wish.account).toBeGreaterThanOrEqual(0)
      expect(wish.account).toBeLessThan(5)
      expect(wish.fraction).toBeGreaterThan(0)
      expect(wish.fraction).toBeLessThanOrEqual(0.003)
    }
  }
  expect(count / 2_000).toBeGreaterThan(0.35)
  expect(count / 2_000).toBeLessThan(0.45)
  expect([...kinds].sort()).toEqual(['curve buy', 'curve sell', 'pool buy', 'pool sell'])
})

it('never exceeds the bound of a block', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 500, noNaN: true }),
      fc.bigInt({ min: 0n, max: 10n ** 9n }),
      (rate, block) => {
        expect(wishesFor({ ...terms, tradesPerBlock: rate }, venues, block).length).toBeLessThanOrEqual(16)
      },
    ),
  )
})
