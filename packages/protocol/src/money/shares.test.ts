import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEAGUE, TREASURY_SPLIT_BPS } from '../numbers.ts'
import {
  beforeBps,
  feeOf,
  leastBpsOf,
  lessBps,
  lessPipsDown,
  mostBeforeBps,
  shareUp,
  splitDown,
} from './shares.ts'

const amount = fc.bigInt({ min: 0n, max: 1n << 128n })
const rate = fc.integer({ min: 0, max: 10_000 })
const partRate = fc.integer({ min: 0, max: 9_999 })

describe('a fee', () => {
  it('is floor(amount × bps / 10,000), like in the contract and the router', () => {
    expect([feeOf(10_000n, 25), feeOf(399n, 25), feeOf(400n, 25)]).toEqual([25n, 0n, 1n])
    fc.assert(
      fc.property(amount, rate, (paid, bps) => {
        const fee = feeOf(paid, bps)
        const exact = paid * BigInt(bps)
        expect(fee * 10_000n <= exact && exact < (fee + 1n) * 10_000n).toBe(true)
        expect(shareUp(paid, bps) - fee).toBe(exact % 10_000n === 0n ? 0n : 1n)
      }),
    )
  })

  it('is never more for a part, and all of it at 10,000', () => {
    fc.assert(
      fc.property(amount, amount, rate, (a, b, bps) => {
        expect(feeOf(a, bps) + feeOf(b, bps)).toBeLessThanOrEqual(feeOf(a + b, bps))
        expect(feeOf(a, 10_000)).toBe(a)
      }),
    )
  })

  it('gives the lowest rate it may have been charged at', () => {
    expect([leastBpsOf(0n, 0n), leastBpsOf(10n, 11n), leastBpsOf(10n, -1n)]).toEqual(Array(3).fill(undefined))
    expect(leastBpsOf(100_000n, 11n)).toBeUndefined()
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 128n }), rate, (paid, bps) => {
        const least = leastBpsOf(paid, feeOf(paid, bps))!
        expect(least).toBeLessThanOrEqual(bps)
        expect(feeOf(paid, least)).toBe(feeOf(paid, bps))
        if (least > 0) expect(feeOf(paid, least - 1)).toBeLessThan(feeOf(paid, bps))
      }),
    )
  })
})

describe('the amount after a fee', () => {
  it('is the amount minus its fee, so a minimum is never below the exact share', () => {
    expect(lessBps(999n, 50)).toBe(995n)
    fc.assert(
      fc.property(amount, rate, (whole, bps) => {
        const left = lessBps(whole, bps)
        expect(left + feeOf(whole, bps)).toBe(whole)
        const exact = whole * BigInt(10_000 - bps)
        expect(left * 10_000n >= exact && exact > (left - 1n) * 10_000n).toBe(true)
      }),
    )
  })

  it('is never above the exact share when used as a floor', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 1_200_000 }), (whole, pips) => {
        const left = lessPipsDown(whole, pips)
        const exact = whole * BigInt(Math.max(0, 1_000_000 - pips))
        expect(left * 1_000_000n <= exact && exact < (left + 1n) * 1_000_000n).toBe(true)
      }),
    )
  })

  it('accepts a plan with the same slippage: a minimum is never below the floor of its cap', () => {
    fc.assert(
      fc.property(amount, rate, (whole, bps) => {
        const slack = lessBps(whole, bps) - lessPipsDown(whole, bps * 100)
        expect(slack === 0n || slack === 1n).toBe(true)
      }),
    )
  })
})

describe('the amount before a fee', () => {
  it('is the smallest amount that leaves the wanted one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 128n }), partRate, (wanted, bps) => {
        const least = beforeBps(wanted, bps)
        expect(lessBps(least, bps)).toBeGreaterThanOrEqual(wanted)
        expect(lessBps(least - 1n, bps)).toBeLessThan(wanted)
      }),
    )
    expect([beforeBps(0n, 50), beforeBps(7n, 0)]).toEqual([0n, 7n])
  })

  it('is at most the largest amount that leaves no more', () => {
    fc.assert(
      fc.property(amount, partRate, (left, bps) => {
        const most = mostBeforeBps(left, bps)
        expect(lessBps(most, bps)).toBeLessThanOrEqual(left)
        expect(lessBps(most + 1n, bps)).toBeGreaterThan(left)
      }),
    )
  })
})

describe('a split', () => {
  it.each([
    ['the treasury’s', Object.values(TREASURY_SPLIT_BPS)],
    ['the league’s', LEAGUE.splitPct.map((pct) => pct * 100)],
  ])('like %s loses nothing and gives nothing twice', (_, rates) => {
    fc.assert(
      fc.property(amount, (pool) => {
        const { shares, left } = splitDown(pool, rates)
        expect(shares.reduce((sum, share) => sum + share, left)).toBe(pool)
        expect(left >= 0n && left < BigInt(rates.length)).toBe(true)
        shares.forEach((share, i) => {
          expect(share).toBe(feeOf(pool, rates[i]!))
        })
      }),
    )
  })
})
