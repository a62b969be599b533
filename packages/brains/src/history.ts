import type { Mark } from './types.ts'

/** Marks are per minute; a single missing one does not count as a gap. */
const GAP_S = 180

/** The mark at `atS - agoS`: the last one at or before that time, unless a gap makes it much older. */
export function markAt(history: readonly Mark[], atS: number, agoS: number): Mark | undefined {
  const targetS = atS - agoS
  let latest: Mark | undefined
  for (const mark of history) {
    if (mark.atS > targetS) break
    latest = mark
  }
  return latest !== undefined && latest.priceE18 > 0n && targetS - latest.atS <= GAP_S ? latest : undefined
}

/** Marks of all minutes within the last `spanS`, oldest first. */
export const marksWithin = (history: readonly Mark[], atS: number, spanS: number): readonly Mark[] =>
  history.filter((mark) => mark.atS + 60 > atS - spanS && mark.atS <= atS && mark.priceE18 > 0n)
