import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decimalText,
  etherText,
  fixedText,
  fractionOf,
  grouped,
  groupedText,
  parseDecimal,
  rescaleDown,
} from './decimals.ts'

const decimals = fc.integer({ min: 0, max: 36 })
const amount = fc.bigInt({ min: 0n, max: 1n << 256n })

it.each([
  [0n, 6, '0.000000', '0'],
  [1n, 6, '0.000001', '0.000001'],
  [-1n, 6, '-0.000001', '-0.000001'],
  [1_500_000n, 6, '1.500000', '1.5'],
  [-98_000_001n, 6, '-98.000001', '-98.000001'],
  [100n, 0, '100', '100'],
  [10_000_000n, 6, '10.000000', '10'],
])('%d with %d decimals is %s, in short %s', (value, places, fixed, short) => {
  expect([fixedText(value, places), decimalText(value, places)]).toEqual([fixed, short])
})

it.each<[number | string, string]>([
  [0, '0'],
  [999.1234, '999.1234'],
  [10_000, '10,000'],
  [-1_234_567.5, '-1,234,567.5'],
  ['1000.00001', '1,000.00001'],
  [1e21, '1e+21'],
])('groups the thousands of %s as %s', (decimal, text) => {
  expect(grouped(decimal)).toBe(text)
})

it('groups amounts of tokens for people', () => {
  expect([groupedText(1_234_500_000n, 6), etherText(-2_500n * 10n ** 18n)]).toEqual(['1,234.5', '-2,500 ETH'])
})

it('writes texts that read back as the same amount', () => {
  fc.assert(
    fc.property(amount, decimals, (value, places) => {
      expect(parseDecimal(fixedText(value, places), places)).toBe(value)
      expect(parseDecimal(decimalText(value, places), places)).toBe(value)
      expect(decimalText(-value, places)).toBe(value === 0n ? '0' : `-${decimalText(value, places)}`)
    }),
  )
})

it.each(['', '.5', '5.', '-1', '+1', '1e3', '0x10', ' 1', '1,000', '1.0000001', 'NaN'])(
  'reads no amount of six decimals from %j',
  (text) => {
    expect(parseDecimal(text, 6)).toBeUndefined()
  },
)

it('cuts what other decimals cannot say, and nothing else', () => {
  expect(rescaleDown(2_000_123_456_789n, 8, 18)).toBe(2_000_123_456_789n * 10n ** 10n)
  expect(rescaleDown(1_999_999_999_999_999_999n, 18, 6)).toBe(1_999_999n)
  fc.assert(
    fc.property(amount, decimals, decimals, (value, from, to) => {
      const scaled = rescaleDown(value, from, to)
      const exact = value * 10n ** BigInt(to)
      const unit = 10n ** BigInt(from)
      expect(scaled * unit <= exact && exact < (scaled + 1n) * unit).toBe(true)
    }),
  )
})

it('reads a number by its decimal digits', () => {
  expect(fractionOf(0.29)).toEqual({ num: 29n, den: 100n })
  expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(fractionOf)).toEqual(Array(4).fill(undefined))
  fc.assert(
    fc.property(fc.double({ min: 1e-18, max: 1e18, noNaN: true }), (value) => {
      const { num, den } = fractionOf(value)!
      expect(Number(`${(num * 10n ** 40n) / den}e-40`)).toBe(value)
    }),
  )
})
