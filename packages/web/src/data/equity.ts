import type { Candle, Point } from '@pit/ui/charts'

export interface BandPoint {
  atMs: number
  low: number
  high: number
}

/** From each value up to the highest one before it: the drawdown. */
export function drawdownBand(points: readonly Point[]): BandPoint[] {
  let peak = Number.NEGATIVE_INFINITY
  return points.map(({ atMs, value }) => {
    peak = Math.max(peak, value)
    return { atMs, low: value, high: peak }
  })
}

/** The deepest fall below an earlier value, in percent of that value; null without points. */
export function maxDrawdownPct(points: readonly Point[]): number | null {
  if (points.length === 0) return null
  return Math.max(...drawdownBand(points).map(({ low, high }) => (high > 0 ? (1 - low / high) * 100 : 0)))
}

/**
 * The first value, put into equal parts of these tokens at that time and never traded. Starts once every token
 * has a price; empty if one has none.
 */
export function holdLine(points: readonly Point[], tokens: readonly (readonly Candle[])[]): Point[] {
  if (points.length === 0 || tokens.length === 0) return []
  const priceAt = tokens.map(priceReader)
  const line: Point[] = []
  let start: { value: number; prices: readonly number[] } | null = null
  for (const { atMs, value } of points) {
    const prices = priceAt.map((read) => read(atMs / 1_000))
    if (!prices.every((price): price is number => price !== null && price > 0)) continue
    start ??= { value, prices }
    const { prices: before } = start
    const growth = prices.reduce((sum, price, i) => sum + price / before[i]!, 0) / prices.length
    line.push({ atMs, value: start.value * growth })
  }
  return line
}

/** Reads a token's price at increasing times: the opening price of the candle then. */
function priceReader(candles: readonly Candle[]): (atS: number) => number | null {
  let next = 0
  return (atS) => {
    while (next < candles.length && candles[next]![0] <= atS) next++
    return candles[next - 1]?.[1] ?? null
  }
}
