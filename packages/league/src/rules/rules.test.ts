import { fixedText, LEAGUE, usdOf } from '@pit/protocol'
import { expect, it } from 'vitest'
import { firstDifference } from './difference.ts'
import { markAt } from './marks.ts'

it('writes millionths as dollars, sign and all', () => {
  const score = (microUsd: bigint) => fixedText(microUsd, LEAGUE.scoreDecimals)
  expect([0n, 1n, -1n, 1_234_567n, -98_000_001n].map(score)).toEqual([
    '0.000000',
    '0.000001',
    '-0.000001',
    '1.234567',
    '-98.000001',
  ])
  expect(usdOf(-98_000_001n)).toBe(-98.000001)
  expect(-1_234 / 100).toBe(-12.34)
})

it('takes the newest mark of the hour up to a time, and none from later or older', () => {
  const marks = [60, 120, 5_000].map((minuteS) => ({ minuteS, priceE18: BigInt(minuteS) }))
  expect(markAt(marks, 59)).toBeNull()
  expect(markAt(marks, 60)).toBe(60n)
  expect(markAt(marks, 179)).toBe(120n)
  expect(markAt(marks, 3_719)).toBe(120n)
  expect(markAt(marks, 3_720)).toBeNull()
  expect(markAt(marks, 5_000)).toBe(5_000n)
})

it('finds the first difference of two records', () => {
  expect(firstDifference({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toBeNull()
  expect(firstDifference({ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] })).toEqual({
    path: 'a.1.b',
    recorded: 'x',
    rebuilt: 'y',
  })
  expect(firstDifference({ a: 1 }, { a: 1, c: 2 })).toEqual({ path: 'c', recorded: undefined, rebuilt: 2 })
})
