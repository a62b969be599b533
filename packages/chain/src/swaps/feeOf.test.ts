import fc from 'fast-check'
import { expect, it } from 'vitest'
import { feeOf, leastBpsOf } from './feeOf.ts'

it('rounds fees down, and finds the least rate of one', () => {
  expect(feeOf(399n, 25)).toBe(0n)
  expect(feeOf(400n, 25)).toBe(1n)
  fc.assert(
    fc.property(fc.bigInt(1n, 1n << 100n), fc.integer({ min: 0, max: 9_999 }), (amount, bps) => {
      const fee = feeOf(amount, bps)
      const least = leastBpsOf(amount, fee)!
      expect(least).toBeLessThanOrEqual(bps)
      expect(feeOf(amount, least)).toBe(fee)
      if (least > 0) expect(feeOf(amount, least - 1)).toBeLessThan(fee)
      if (amount >= 10_000n) expect(least).toBe(bps)
    }),
  )
  expect(leastBpsOf(1_000_000n, 2_501n)).toBeUndefined()
})
