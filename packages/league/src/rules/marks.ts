import { RULES } from './numbers.ts'

/** What a book is valued with. */
export interface MarketRecord {
  /** Tokens that have an independent mark, by lower-case address; everything else counts at cost. */
  assets: ReadonlyMap<string, { decimals: number }>
  /** ETH, which pays for gas: all zero. */
  native: string
  /** Dollars for one whole token, times 10^18, at a time; null when it could not be read. */
  priceAt(token: string, timeS: number): bigint | null
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
  const found = marks[low - 1]
  return found && found.minuteS > timeS - RULES.markMaxAgeS ? found.priceE18 : null
}

/** From when on the mark of a time cannot change any more: its minute is over and was written. */
export const markCertainS = (timeS: number): number => timeS - (timeS % 60) + 60 + RULES.markLateS
