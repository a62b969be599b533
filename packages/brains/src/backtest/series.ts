import type { Mark } from '../types.ts'

/** A mark older than this at a tick is stale, as in live ticks. */
const STALE_AFTER_S = 180

export type StoredMark = Mark & { stale?: boolean }

/** A token's stored marks, readable at any point in time. */
export interface Series {
  at(atS: number): { priceE18: bigint | null; stale: boolean }
  /** Marks of the preceding `spanS`, oldest first. */
  within(atS: number, spanS: number): readonly Mark[]
}

/** USDG is one dollar. */
export const CASH_SERIES: Series = {
  at: () => ({ priceE18: 10n ** 18n, stale: false }),
  within: () => [],
}

/** `marks` oldest first. */
export function openSeries(marks: readonly StoredMark[]): Series {
  /** Number of marks at or before this second. */
  const countUpTo = (atS: number): number => {
    let low = 0
    let high = marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((marks[middle] as StoredMark).atS <= atS) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    at(atS) {
      const mark = marks[countUpTo(atS) - 1]
      if (mark === undefined || mark.priceE18 <= 0n) return { priceE18: null, stale: true }
      return { priceE18: mark.priceE18, stale: mark.stale === true || atS - mark.atS > STALE_AFTER_S }
    },
    within: (atS, spanS) => marks.slice(countUpTo(atS - spanS - 1), countUpTo(atS)),
  }
}
