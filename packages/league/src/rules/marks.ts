import { DAY_S, isWithinBps } from '@pit/protocol'
import { RULES } from './numbers.ts'

/** Prices used to value a book. */
export interface MarketRecord {
  /** Tokens that have an independent mark, by lower-case address; everything else counts at cost. */
  assets: ReadonlyMap<string, { decimals: number }>
  /** ETH, which pays for gas: all zero. */
  native: string
  /** USD per whole token, times 10^18, at a time; null if it could not be read. */
  priceAt(token: string, timeS: number): bigint | null
  /** The value of a token at the season's end. */
  endMark(token: string): EndMark
}

export interface EndMark {
  /** Null if too few hours of the last day have a mark. */
  priceE18: bigint | null
  /** Whether the last mark is far from it or missing. */
  diverges: boolean
}

export interface MinuteMark {
  minuteS: number
  priceE18: bigint
}

/** The newest minute's mark up to a time, if no older than an hour. `marks` are in order of time. */
export function markAt(marks: readonly MinuteMark[], timeS: number): bigint | null {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.minuteS <= timeS) low = middle + 1
    else high = middle
  }
  const newest = marks[low - 1]
  return newest && newest.minuteS > timeS - RULES.markMaxAgeS ? newest.priceE18 : null
}

/** The time from which the mark of `timeS` is final: its minute is over and was written. */
export const markCertainS = (timeS: number): number => timeS - (timeS % 60) + 60 + RULES.markLateS

/**
 * The median of a season's last day, which a trade in its last minutes cannot move; the lower one of two in
 * the middle. `marks` are in order of time.
 */
export function endMarkOf(marks: readonly MinuteMark[], endsAtS: number): EndMark {
  const day = marks.filter(({ minuteS }) => minuteS > endsAtS - DAY_S && minuteS <= endsAtS)
  const hours = new Set(day.map(({ minuteS }) => Math.ceil(minuteS / 3_600)))
  if (hours.size < RULES.endHours) return { priceE18: null, diverges: false }
  const prices = day.map(({ priceE18 }) => priceE18).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const priceE18 = prices[(prices.length - 1) >> 1]!
  const last = markAt(day, endsAtS)
  return { priceE18, diverges: last === null || !isWithinBps(last, priceE18, RULES.endDivergenceBps) }
}

/** A dollar by definition. */
export const FIXED_END: EndMark = { priceE18: 10n ** 18n, diverges: false }
