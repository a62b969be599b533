import type { Known } from './types.ts'

export const NOTHING: Known = { microUsd: 0n, unknown: 0 }

/** Null counts as one unknown part. */
export const knownOf = (microUsd: bigint | null): Known =>
  microUsd === null ? { microUsd: 0n, unknown: 1 } : { microUsd, unknown: 0 }

export const plus = (one: Known, other: Known): Known => ({
  microUsd: one.microUsd + other.microUsd,
  unknown: one.unknown + other.unknown,
})

export const minus = (one: Known, other: Known): Known => ({
  microUsd: one.microUsd - other.microUsd,
  unknown: one.unknown + other.unknown,
})

export function sumOf(parts: Iterable<bigint | null>): Known {
  let [microUsd, unknown] = [0n, 0]
  for (const part of parts) {
    if (part === null) unknown++
    else microUsd += part
  }
  return { microUsd, unknown }
}

export const sumOfKnown = (parts: readonly Known[]): Known => parts.reduce(plus, NOTHING)
