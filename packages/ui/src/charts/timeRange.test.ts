import { expect, it } from 'vitest'
import { LABEL_HALF_PX, timeRange } from './timeRange.ts'

it.each([
  [2, 1_000, 500],
  [100, 1_000, 16],
  [600, 320, 16],
  [10, 700, 16],
])('keeps half a label free at both ends of %i bars on %i px', (bars, widthPx, maxBarPx) => {
  const { from, to } = timeRange(bars, widthPx, maxBarPx)
  // The chart does not draw bars wider than the maximum.
  const barPx = Math.min(maxBarPx, widthPx / (to - from))
  expect(-from * barPx).toBeCloseTo(LABEL_HALF_PX)
  expect((to - (bars - 1)) * barPx).toBeCloseTo(LABEL_HALF_PX)
})

it('stays finite for one bar, and on a place without a width', () => {
  const ends = [timeRange(1, 700), timeRange(10, 0)].flatMap(({ from, to }) => [from, to])
  expect(ends.every(Number.isFinite)).toBe(true)
})
