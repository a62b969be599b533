import fc from 'fast-check'
import { expect, it } from 'vitest'
import { divDown, divNearest, divUp, maxOf, minOf, powerOfTen } from './division.ts'
import { bpsDown, bpsNearest, bpsTowardsZero, bpsUp, isWithinBps, pipsTowardsZero } from './ratios.ts'

const signed = fc.bigInt({ min: -(1n << 128n), max: 1n << 128n })
const above = fc.bigInt({ min: 1n, max: 1n << 128n })

it('divides as the name says, whatever the sign', () => {
  expect([7n, -7n].map((value) => divDown(value, 2n))).toEqual([3n, -4n])
  expect([7n, -7n].map((value) => divUp(value, 2n))).toEqual([4n, -3n])
  expect([7n, -7n, 5n].map((value) => divNearest(value, 2n))).toEqual([4n, -3n, 3n])
  fc.assert(
    fc.property(signed, above, (value, by) => {
      const [down, up, near] = [divDown(value, by), divUp(value, by), divNearest(value, by)]
      expect(down * by <= value && value < (down + 1n) * by).toBe(true)
      expect(up * by >= value && value > (up - 1n) * by).toBe(true)
      expect(up - down).toBe(value % by === 0n ? 0n : 1n)
      expect(near === down || near === up).toBe(true)
      expect(2n * (near * by - value) <= by && 2n * (value - near * by) < by).toBe(true)
    }),
  )
})

it('never shows a better return or a smaller drawdown', () => {
  expect([1n, -1n].map((profit) => bpsDown(profit, 3n))).toEqual([3_333n, -3_334n])
  expect([1n, -1n].map((profit) => bpsUp(profit, 3n))).toEqual([3_334n, -3_333n])
  expect([1n, -1n].map((profit) => bpsTowardsZero(profit, 3n))).toEqual([3_333n, -3_333n])
  expect([1n, 2n].map((part) => bpsNearest(part, 3n))).toEqual([3_333n, 6_667n])
  expect([1n, -1n].map((part) => pipsTowardsZero(part, 3n))).toEqual([333_333n, -333_333n])
  fc.assert(
    fc.property(signed, above, (part, whole) => {
      const exact = part * 10_000n
      expect(bpsDown(part, whole) * whole <= exact && exact <= bpsUp(part, whole) * whole).toBe(true)
      expect(bpsTowardsZero(part, whole)).toBe(part < 0n ? bpsUp(part, whole) : bpsDown(part, whole))
      expect(bpsTowardsZero(part, whole)).toBe(pipsTowardsZero(part, whole) / 100n)
    }),
  )
})

it('counts the edge of a band as within, and an atom more as beyond', () => {
  expect([970_000n, 1_030_000n].map((value) => isWithinBps(value, 1_000_000n, 300))).toEqual([true, true])
  expect([969_999n, 1_030_001n].map((value) => isWithinBps(value, 1_000_000n, 300))).toEqual([false, false])
  fc.assert(
    fc.property(above, above, fc.integer({ min: 0, max: 20_000 }), (value, of, bps) => {
      const apart = value > of ? value - of : of - value
      expect(isWithinBps(value, of, bps)).toBe(bpsUp(apart, of) <= BigInt(bps))
    }),
  )
})

it('finds the smallest and the largest', () => {
  expect([minOf(3n, 1n, 2n), minOf(-1n), maxOf(3n, 1n, 4n), maxOf(-1n)]).toEqual([1n, -1n, 4n, -1n])
  expect([0, 18, 267, 300].every((n) => powerOfTen(n) === 10n ** BigInt(n))).toBe(true)
})
