import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedText, fractionOf } from './decimals.ts'
import {
  dollarsText,
  microUsdDown,
  microUsdUp,
  priceE18Down,
  priceUsdOf,
  usdCentsText,
  usdOf,
} from './dollars.ts'

const anyUsd = fc.oneof(
  fc.double({ min: 1e-12, max: 1e9, noNaN: true }),
  fc.integer({ min: 1, max: 10_000 * 1e9 }).map((nano) => nano / 1e9),
)

describe('dollars of a request', () => {
  it.each([
    [1, 1_000_000n],
    [0.1, 100_000n],
    [0.29, 290_000n],
    [25.1, 25_100_000n],
    [1.005, 1_005_000n],
    [9_999.999999, 9_999_999_999n],
    [1.0000019, 1_000_001n],
    [1e-7, 0n],
    [1e21, 10n ** 27n],
    [0, 0n],
    [-5, 0n],
    [Number.NaN, 0n],
    [Number.POSITIVE_INFINITY, 0n],
  ])('%d are %d micro-dollars', (usd, micro) => {
    expect(microUsdDown(usd)).toBe(micro)
  })

  it('are exact in either direction for every amount that six decimals can say', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (micro) => {
        const usd = JSON.parse(fixedText(micro, 6)) as number
        expect([microUsdDown(usd), microUsdUp(usd)]).toEqual([micro, micro])
      }),
    )
  })

  it('are their digits, rounded down for sizes and limits and up for costs', () => {
    fc.assert(
      fc.property(anyUsd, (usd) => {
        const { num, den } = fractionOf(usd)!
        const [down, up] = [microUsdDown(usd), microUsdUp(usd)]
        expect(down * den <= num * 1_000_000n && num * 1_000_000n < (down + 1n) * den).toBe(true)
        expect(up * den >= num * 1_000_000n && num * 1_000_000n > (up - 1n) * den).toBe(true)
      }),
    )
  })

  it('never shrink when the number grows', () => {
    fc.assert(
      fc.property(anyUsd, anyUsd, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        expect(microUsdDown(low)).toBeLessThanOrEqual(microUsdDown(high))
        expect(microUsdUp(low)).toBeLessThanOrEqual(microUsdUp(high))
      }),
    )
  })

  it('reject costs that are not finite', () => {
    expect(() => microUsdUp(Number.POSITIVE_INFINITY)).toThrow(RangeError)
    expect(() => microUsdUp(Number.NaN)).toThrow(RangeError)
    expect(microUsdUp(0)).toBe(0n)
  })
})

describe('dollars of an answer', () => {
  it('read as their decimal text does, and come back as the same micro-dollars', () => {
    expect([0n, 1n, 3_000_120_001n, -98_000_001n].map(usdOf)).toEqual([0, 0.000001, 3000.120001, -98.000001])
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (micro) => {
        expect(usdOf(micro)).toBe(JSON.parse(fixedText(micro, 6)))
        expect(usdOf(-micro)).toBe(0 - usdOf(micro))
        expect(microUsdDown(usdOf(micro))).toBe(micro)
      }),
    )
  })

  it('are cut to cents in sentences', () => {
    const shown = [0n, 9_999n, 12_345_678_999n, -5_019_999n, -1n].map(dollarsText)
    expect(shown).toEqual(['$0.00', '$0.00', '$12,345.67', '-$5.01', '-$0.00'])
  })
})

describe('a price of one token', () => {
  it('is the number nearest to it on the wire', () => {
    expect(priceUsdOf(2_000_100_000_000_000_000_000n)).toBe(2000.1)
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), (priceE18) => {
        expect(priceUsdOf(priceE18)).toBe(Number(`${priceE18}e-18`))
      }),
    )
  })

  it('keeps every digit that was sent, to eighteen decimals', () => {
    expect(priceE18Down(0.29)).toBe(290_000_000_000_000_000n)
    expect(priceE18Down(123_456_789.123)).toBe(123_456_789_123n * 10n ** 15n)
    expect(priceE18Down(1.9e-18)).toBe(1n)
    expect([0, -1, Number.NaN].map(priceE18Down)).toEqual([0n, 0n, 0n])
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1e12, noNaN: true }), (usd) => {
        expect(priceUsdOf(priceE18Down(usd))).toBe(usd)
      }),
    )
  })
})

it.each([
  [8_204_990_799n, '8,205 USD'],
  [8_204_990_000n, '8,204.99 USD'],
  [100_000_001n, '100.01 USD'],
  [1_000_000n, '1 USD'],
  [123_456n, '0.123456 USD'],
  [0n, '0 USD'],
])('%d micro-dollars read as %s', (micro, text) => {
  expect(usdCentsText(micro)).toBe(text)
})
