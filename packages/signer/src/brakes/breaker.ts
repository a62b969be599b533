import type { BindingControls } from '@pit/protocol'

export type Breaker = NonNullable<BindingControls['breakers']>[number]

/** One breaker's memory: the best P&L of each part of its window, or the time until it stays tripped. */
export interface BreakerState {
  buckets: readonly (readonly [number: number, bestMicroUsd: bigint])[]
  trippedUntilMs: number | null
}

/** A window is at most this many buckets; it is never shorter than signed, and longer by one bucket at most. */
const BUCKETS = 60

function bucketAt({ window_s }: Breaker, atMs: number): number {
  return window_s === null ? 0 : Math.floor(atMs / Math.ceil((window_s * 1000) / (BUCKETS - 1)))
}

const isTripped = ({ trippedUntilMs }: BreakerState, atMs: number): boolean =>
  trippedUntilMs !== null && atMs < trippedUntilMs

/** When a session begins, its P&L is zero. */
export const newBreaker = (breaker: Breaker, atMs: number): BreakerState => ({
  buckets: [[bucketAt(breaker, atMs), 0n]],
  trippedUntilMs: null,
})

/** Best P&L of the window; null while nothing was sampled in it. */
export function bestOf(state: BreakerState, breaker: Breaker, atMs: number): bigint | null {
  if (state.trippedUntilMs !== null) return null
  const live = liveBuckets(state, breaker, atMs)
  return live.reduce<bigint | null>((best, [, one]) => (best === null || one > best ? one : best), null)
}

const liveBuckets = ({ buckets }: BreakerState, breaker: Breaker, atMs: number) =>
  buckets.filter(([number]) => number > bucketAt(breaker, atMs) - BUCKETS)

/** Takes one sample. A fall past the bound trips the breaker; after its cool-down the best starts anew. */
export function sampleBreaker(
  state: BreakerState,
  breaker: Breaker,
  { atMs, profit }: { atMs: number; profit: bigint },
): BreakerState {
  if (isTripped(state, atMs)) return state
  const current = bucketAt(breaker, atMs)
  const live = state.trippedUntilMs === null ? liveBuckets(state, breaker, atMs) : []
  const best = live.reduce((most, [, one]) => (one > most ? one : most), profit)
  if (best - profit > BigInt(breaker.max_fall_micro_usd))
    return { buckets: [], trippedUntilMs: atMs + breaker.cool_down_s * 1000 }
  const last = live.at(-1)
  const buckets =
    last?.[0] === current
      ? [...live.slice(0, -1), [current, last[1] > profit ? last[1] : profit] as const]
      : [...live, [current, profit] as const]
  return { buckets, trippedUntilMs: null }
}

/** How a breaker judges an opening trade whose worst case leaves this P&L. */
export function judgeBreaker(
  state: BreakerState,
  breaker: Breaker,
  { atMs, profit, worst }: { atMs: number; profit: bigint; worst: bigint },
): { trippedUntilMs: number } | { fallMicroUsd: bigint } {
  if (isTripped(state, atMs)) return { trippedUntilMs: state.trippedUntilMs! }
  const best = bestOf(state, breaker, atMs)
  return { fallMicroUsd: (best !== null && best > profit ? best : profit) - worst }
}

export interface StoredBreaker {
  buckets: [number, string][]
  tripped_until_ms: number | null
}
export const storedBreaker = ({ buckets, trippedUntilMs }: BreakerState): StoredBreaker => ({
  buckets: buckets.map(([number, best]) => [number, best.toString()]),
  tripped_until_ms: trippedUntilMs,
})
export const breakerOf = ({ buckets, tripped_until_ms }: StoredBreaker): BreakerState => ({
  buckets: buckets.map(([number, best]) => [number, BigInt(best)] as const),
  trippedUntilMs: tripped_until_ms,
})
