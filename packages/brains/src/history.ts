import type { Mark } from './types.ts'

/** Marks come by the minute; one may be missing without making a gap. */
const GAP_S = 180

/** The mark in force `agoS` before `atS`: the last one not after it, unless a gap makes it much older. */
export function markAt(history: readonly Mark[], atS: number, agoS: number): Mark | undefined {
  const wantedS = atS - agoS
  let found: Mark | undefined
  for (const mark of history) {
    if (mark.atS > wantedS) break
    found = mark
  }
  return found !== undefined && found.priceE18 > 0n && wantedS - found.atS <= GAP_S ? found : undefined
}

/** Marks of the minutes that the last `spanS` touch, oldest first. */
export const marksWithin = (history: readonly Mark[], atS: number, spanS: number): readonly Mark[] =>
  history.filter((mark) => mark.atS + 60 > atS - spanS && mark.atS <= atS && mark.priceE18 > 0n)
