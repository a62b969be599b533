import { markPrice, usdOf, worthDown } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeVolume, tierOf } from './rules.ts'

const usd = (dollars: number) => BigInt(dollars) * 1_000_000n

it('gives the rate of the highest threshold reached, to the millionth of a dollar', () => {
  expect([0n, usd(10_000) - 1n].map(tierOf)).toEqual([25, 25])
  expect([usd(10_000), usd(100_000) - 1n].map(tierOf)).toEqual([20, 20])
  expect([usd(100_000), usd(1_000_000) - 1n].map(tierOf)).toEqual([15, 15])
  expect([usd(1_000_000), usd(1e12)].map(tierOf)).toEqual([10, 10])
})

it('never charges more for more volume', () => {
  const volume = fc.bigInt(0n, usd(2_000_000))
  fc.assert(fc.property(volume, volume, (a, b) => a > b || tierOf(a) >= tierOf(b)))
})

it('reports the volume missing to the next rate', () => {
  expect(describeVolume(usd(9_999) + 999_999n)).toEqual({
    window_days: 30,
    volume_usd: 9_999.999999,
    tier_bps: 25,
    posted_bps: 25,
    next_tier: { bps: 20, min_30d_volume_usd: 10_000, volume_to_next_usd: 0.000001 },
    tiers: [
      { min_30d_volume_usd: 0, bps: 25 },
      { min_30d_volume_usd: 10_000, bps: 20 },
      { min_30d_volume_usd: 100_000, bps: 15 },
      { min_30d_volume_usd: 1_000_000, bps: 10 },
    ],
  })
  expect(describeVolume(usd(1_000_000)).next_tier).toBeNull()
})

it('rounds the value of a balance down', () => {
  expect(worthDown(1n, markPrice(3_000n * 10n ** 18n, 18))).toBe(0n)
  expect(worthDown(10n ** 18n, markPrice(3_000n * 10n ** 18n, 18))).toBe(usd(3_000))
  expect(worthDown(1_999_999n, markPrice(10n ** 18n, 6))).toBe(1_999_999n)
  fc.assert(
    fc.property(
      fc.bigInt(0n, 2n ** 256n - 1n),
      fc.bigInt(1n, 10n ** 30n),
      fc.integer({ min: 0, max: 77 }),
      (atoms, priceE18, decimals) => {
        const scale = 10n ** BigInt(decimals + 12)
        const value = worthDown(atoms, markPrice(priceE18, decimals))
        return value * scale <= atoms * priceE18 && atoms * priceE18 < (value + 1n) * scale
      },
    ),
  )
})

it('formats dollars like their decimal text', () => {
  expect(usdOf(3_000_120_001n)).toBe(3000.120001)
  fc.assert(fc.property(fc.integer({ min: 0 }), (micro) => usdOf(BigInt(micro)) === micro / 1e6))
})
