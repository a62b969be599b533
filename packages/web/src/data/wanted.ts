import type { Answer } from '@pit/protocol'

export type Wanted = Answer<'hosted.orders.list'>['wanted'][number]

/** How many wanted signatures are shown before the visitor asks for the rest. */
const SHOWN = 3

/** Wanted signatures, the first to expire first; folded to a few. */
export function shownWanted(wanted: readonly Wanted[], isFolded: boolean): Wanted[] {
  const sorted = [...wanted].sort((a, b) => a.valid_until - b.valid_until)
  return isFolded ? sorted.slice(0, SHOWN) : sorted
}
