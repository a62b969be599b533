import { describe, expect, it } from 'vitest'
import { priceBandBps, slippageCapBps, slippageTolerance, widestBandBps } from './priceBand.ts'

const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6))

describe('the co-signer’s band', () => {
  it.each([
    ['major', 100, 200],
    ['major', 100.000001, 150],
    ['major', 10_000, 100],
    ['major', 1_000_000, 100],
    ['other', 5, 1_000],
    ['other', 1_000, 700],
    ['other', 5_000, 500],
  ] as const)('goes by what a %s trade of %d dollars may slip: %d', (feeClass, dollars, cap) => {
    expect(slippageCapBps(feeClass, usd(dollars))).toBe(cap)
  })

  it('holds a trade of unknown size, or beyond the table, to the tightest row', () => {
    expect(slippageTolerance('major', null)).toEqual({ defaultBps: 30, capBps: 100 })
    expect(slippageTolerance('other', usd(10_000) + 1n)).toEqual({ defaultBps: 100, capBps: 500 })
    expect(slippageTolerance('other', usd(100))).toEqual({ defaultBps: 200, capBps: 1_000 })
  })

  it.each([
    ['feed', 'major', 50, 300],
    ['feed', 'major', 500, 250],
    ['feed', 'major', 5_000, 200],
    ['mean', 'major', 50, 500],
    ['mean', 'major', 5_000, 400],
    ['feed', 'other', 50, 500],
    ['owner', 'major', 50, 2_000],
    ['owner', 'other', 5_000, 2_000],
  ] as const)('by %s for a %s trade of %d dollars is %d', (witness, feeClass, dollars, bps) => {
    expect(priceBandBps(witness, { feeClass, microUsd: usd(dollars) })).toBe(bps)
  })

  it('is widest for small trades', () => {
    expect(widestBandBps('feed', 'major')).toBe(300)
    expect(widestBandBps('mean', 'major')).toBe(500)
    expect(widestBandBps('feed', 'other')).toBe(500)
    expect(widestBandBps('owner', 'other')).toBe(2_000)
  })
})
