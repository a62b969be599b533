import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bandOf, fairSqrtX96, priceOfSqrtX96 } from './fair.ts'
import { type Asset, NATIVE, type Pool } from './types.ts'

const asset = (symbol: string, decimals: number): Asset => ({
  symbol,
  token: NATIVE,
  decimals,
  feed: null,
  volatility: 0,
})
const pool = (fee: number): Pool => ({
  version: 3,
  address: NATIVE,
  currency0: NATIVE,
  currency1: NATIVE,
  fee,
  tickSpacing: 10,
  hooks: NATIVE,
})
const usd = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
const decimals = fc.constantFrom(6, 8, 18)

it('prices a pool as the ratio of the two dollar prices', () => {
  fc.assert(
    fc.property(usd, usd, decimals, decimals, (usd0, usd1, d0, d1) => {
      const sqrt = fairSqrtX96(asset('A', d0), asset('B', d1), usd0, usd1)
      const price = priceOfSqrtX96(sqrt, d0, d1)
      expect(Math.abs(price / (usd0 / usd1) - 1)).toBeLessThan(1e-9)
    }),
  )
})

it('has a band of the fee and the slack on either side', () => {
  fc.assert(
    fc.property(
      usd,
      fc.constantFrom(100, 500, 3_000, 10_000),
      fc.integer({ min: 0, max: 20 }),
      (price, fee, slack) => {
        const fair = fairSqrtX96(asset('A', 18), asset('B', 6), price, 1)
        const { low, high } = bandOf(pool(fee), fair, slack)
        const part = fee / 1e6 + slack / 1e4
        expect((Number(high) / Number(fair)) ** 2 - 1).toBeCloseTo(part, 6)
        expect(1 - (Number(low) / Number(fair)) ** 2).toBeCloseTo(part, 6)
      },
    ),
  )
  const dynamic = bandOf(pool(0x800000), 10n ** 30n, 0)
  expect(Number(dynamic.high) / 1e30).toBeCloseTo(Math.sqrt(1.003), 6)
})
