import type { Candle } from '@pit/ui/charts'
import { describe, expect, it } from 'vitest'
import { drawdownBand, holdLine, maxDrawdownPct } from './equity.ts'

const points = (...values: number[]) => values.map((value, i) => ({ atMs: i * 60_000, value }))
const candles = (...opens: number[]): Candle[] =>
  opens.map((open, i) => [i * 60, open, open, open, opens[i + 1] ?? open, null])

describe('drawdown', () => {
  it('reaches from each value to the highest one before it', () => {
    expect(drawdownBand(points(100, 120, 90)).map(({ low, high }) => [low, high])).toEqual([
      [100, 100],
      [120, 120],
      [90, 120],
    ])
    expect(maxDrawdownPct(points(100, 120, 90, 130))).toBeCloseTo(25)
    expect(maxDrawdownPct([])).toBeNull()
  })
})

describe('the hold line', () => {
  it('grows as the tokens do, in equal parts of the first value', () => {
    const line = holdLine(points(1_000, 900, 800), [candles(10, 20, 10), candles(5, 5, 10)])
    expect(line.map(({ value }) => value)).toEqual([1_000, 1_500, 1_500])
  })

  it('starts once every token has a price', () => {
    const late: Candle[] = [[60, 5, 5, 5, 5, null]]
    const line = holdLine(points(1_000, 900, 800), [candles(10, 20, 10), late])
    expect(line).toEqual([
      { atMs: 60_000, value: 900 },
      { atMs: 120_000, value: 675 },
    ])
  })

  it('does not exist for a token without prices', () => {
    expect(holdLine(points(1, 2), [candles(1, 2), []])).toEqual([])
    expect(holdLine(points(1, 2), [])).toEqual([])
  })
})
