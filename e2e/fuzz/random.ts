/** A small seeded generator (mulberry32): a printed seed repeats the whole run. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number
  below(limit: number): number
  chance(of: number): boolean
  pick<T>(from: readonly T[]): T
  bytes(count: number): Buffer
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (of) => next() < of,
    pick: (from) => from[below(from.length)]!,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}
