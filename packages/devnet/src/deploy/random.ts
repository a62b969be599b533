/** A small seeded generator (mulberry32): the same seed builds the same world on every machine. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  pick<T>(from: readonly T[]): T
  /** True in `percent` of cases. */
  chance(percent: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  const below = (limit: number) => Math.floor((next() / 0x1_0000_0000) * limit)
  return { below, pick: (from) => from[below(from.length)]!, chance: (percent) => below(100) < percent }
}
