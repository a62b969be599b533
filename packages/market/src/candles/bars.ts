const MINUTE_S = 60

/** A minute with a fresh mark. */
export interface Minute {
  minuteS: number
  price: number
  /** Null before trades were counted. */
  volumeMicroUsd: number | null
}

/** Prices and volume of a period from `startS` on. */
export interface Bar {
  startS: number
  open: number
  high: number
  low: number
  close: number
  volumeMicroUsd: number | null
}

/** One bar per minute, oldest first. It closes at the next minute's mark, so that bars connect. */
export const minuteBars = (minutes: readonly Minute[]): Bar[] =>
  minutes.map(({ minuteS, price, volumeMicroUsd }, i) => {
    const next = minutes[i + 1]
    const close = next?.minuteS === minuteS + MINUTE_S ? next.price : price
    return {
      startS: minuteS,
      open: price,
      high: Math.max(price, close),
      low: Math.min(price, close),
      close,
      volumeMicroUsd,
    }
  })

/** Bars of a longer interval from shorter ones, oldest first; a period without any has none. */
export function mergeBars(bars: readonly Bar[], intervalS: number): Bar[] {
  const merged: Bar[] = []
  for (const bar of bars) {
    const startS = bar.startS - (bar.startS % intervalS)
    const last = merged[merged.length - 1]
    if (last?.startS !== startS) {
      merged.push({ ...bar, startS })
      continue
    }
    last.high = Math.max(last.high, bar.high)
    last.low = Math.min(last.low, bar.low)
    last.close = bar.close
    last.volumeMicroUsd = addKnown(last.volumeMicroUsd, bar.volumeMicroUsd)
  }
  return merged
}

const addKnown = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : a + b

/** Moves the last bar to the current price; null leaves it as it is. */
export function extendLast(bars: readonly Bar[], price: number | null): Bar[] {
  const last = bars[bars.length - 1]
  if (last === undefined || price === null) return [...bars]
  const { high, low } = last
  return [
    ...bars.slice(0, -1),
    { ...last, close: price, high: Math.max(high, price), low: Math.min(low, price) },
  ]
}
