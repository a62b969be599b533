import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bar, extendLast, type Minute, mergeBars, minuteBars } from './bars.ts'

const minutes = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 4 }),
      price: fc.integer({ min: 1, max: 10_000 }),
      volumeMicroUsd: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    }),
    { maxLength: 300 },
  )
  .map((rows) => {
    let minuteS = 1_800_000_000
    return rows.map(({ gap, price, volumeMicroUsd }): Minute => {
      minuteS += gap * 60
      return { minuteS, price: price / 100, volumeMicroUsd }
    })
  })
const volumeOf = (bars: readonly Bar[]) =>
  bars.reduce((sum, { volumeMicroUsd }) => sum + (volumeMicroUsd ?? 0), 0)

describe('bars', () => {
  it('have a high and a low around open and close, and the volume of their minutes', () => {
    fc.assert(
      fc.property(minutes, fc.constantFrom(60, 300, 3_600, 86_400), (given, intervalS) => {
        const bars = mergeBars(minuteBars(given), intervalS)
        for (const { startS, open, high, low, close } of bars) {
          expect(startS % intervalS).toBe(0)
          expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
          expect(low).toBeLessThanOrEqual(Math.min(open, close))
        }
        expect(volumeOf(bars)).toBe(given.reduce((sum, one) => sum + (one.volumeMicroUsd ?? 0), 0))
        expect(bars.every(({ startS }, i) => i === 0 || startS > bars[i - 1]!.startS)).toBe(true)
      }),
    )
  })

  it('are the same from minutes and from shorter bars', () => {
    fc.assert(
      fc.property(minutes, (given) => {
        const bars = minuteBars(given)
        expect(mergeBars(mergeBars(bars, 3_600), 86_400)).toEqual(mergeBars(bars, 86_400))
        expect(mergeBars(mergeBars(bars, 300), 3_600)).toEqual(mergeBars(bars, 3_600))
      }),
    )
  })

  it('connect within consecutive minutes and leave gaps out', () => {
    const [a, b, c] = minuteBars([
      { minuteS: 600, price: 10, volumeMicroUsd: 1 },
      { minuteS: 660, price: 12, volumeMicroUsd: null },
      { minuteS: 780, price: 9, volumeMicroUsd: 4 },
    ])
    expect(a).toMatchObject({ open: 10, close: 12, high: 12, low: 10 })
    expect(b).toMatchObject({ open: 12, close: 12, high: 12, low: 12, volumeMicroUsd: null })
    expect(c).toMatchObject({ startS: 780, open: 9, close: 9 })
    expect(mergeBars([a!, b!, c!], 600)).toEqual([
      { startS: 600, open: 10, high: 12, low: 9, close: 9, volumeMicroUsd: 5 },
    ])
  })

  it('end at the current price', () => {
    const bars = minuteBars([{ minuteS: 600, price: 10, volumeMicroUsd: 0 }])
    expect(extendLast(bars, 8)).toMatchObject([{ open: 10, high: 10, low: 8, close: 8 }])
    expect(extendLast(bars, null)).toEqual(bars)
    expect(extendLast([], 8)).toEqual([])
  })
})
