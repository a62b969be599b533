import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Breaker, bestOf, breakerOf, newBreaker, sampleBreaker, storedBreaker } from './breaker.ts'

const breaker: Breaker = { max_fall_micro_usd: 100, window_s: null, cool_down_s: 60 }
const MINUTE = 60_000

describe('a breaker', () => {
  it('trips past its bound, not at it', () => {
    const start = newBreaker(breaker, 0)
    expect(sampleBreaker(start, breaker, { atMs: 1, profit: -100n }).trippedUntilMs).toBeNull()
    expect(sampleBreaker(start, breaker, { atMs: 1, profit: -101n }).trippedUntilMs).toBe(60_001)
  })

  it('measures from its best, and starts anew after the cool-down', () => {
    let state = sampleBreaker(newBreaker(breaker, 0), breaker, { atMs: 1, profit: 500n })
    state = sampleBreaker(state, breaker, { atMs: 2, profit: 399n })
    expect(state).toEqual({ buckets: [], trippedUntilMs: 60_002 })
    expect(sampleBreaker(state, breaker, { atMs: 60_001, profit: 900n })).toBe(state)
    state = sampleBreaker(state, breaker, { atMs: 60_002, profit: 300n })
    expect(bestOf(state, breaker, 60_002)).toBe(300n)
    expect(sampleBreaker(state, breaker, { atMs: 60_003, profit: 200n }).trippedUntilMs).toBeNull()
    expect(sampleBreaker(state, breaker, { atMs: 60_003, profit: 199n }).trippedUntilMs).not.toBeNull()
  })

  it('forgets a best that left its window', () => {
    const hour = { ...breaker, window_s: 3_600 }
    let state = sampleBreaker(newBreaker(hour, 0), hour, { atMs: 1_000, profit: 500n })
    expect(bestOf(state, hour, 3_601_000)).toBe(500n)
    state = sampleBreaker(state, hour, { atMs: 3_601_000 + 62_000, profit: 300n })
    expect(state.trippedUntilMs).toBeNull()
    expect(bestOf(state, hour, 3_663_000)).toBe(300n)
  })

  it('is stored as it is', () => {
    const state = sampleBreaker(newBreaker(breaker, 0), breaker, { atMs: 1, profit: -5n })
    expect(breakerOf(JSON.parse(JSON.stringify(storedBreaker(state))))).toEqual(state)
  })
})

/** All samples since the last trip, and the best of those that the window must or may still have. */
function reference({ window_s, max_fall_micro_usd, cool_down_s }: Breaker) {
  let samples: { atMs: number; profit: bigint }[] = [{ atMs: 0, profit: 0n }]
  let trippedUntilMs: number | null = null
  return (atMs: number, profit: bigint): { must: boolean; may: boolean; trip(): void } => {
    if (trippedUntilMs !== null && atMs < trippedUntilMs) return { must: true, may: true, trip() {} }
    if (trippedUntilMs !== null) samples = []
    trippedUntilMs = null
    samples.push({ atMs, profit })
    const fallOf = (sinceMs: number) => {
      const inside = samples.filter((one) => one.atMs >= sinceMs).map((one) => one.profit)
      return inside.reduce((most, one) => (one > most ? one : most), profit) - profit
    }
    const windowMs = window_s === null ? Number.POSITIVE_INFINITY : window_s * 1000
    const limit = BigInt(max_fall_micro_usd)
    return {
      must: fallOf(atMs - windowMs) > limit,
      // By at most one bucket and a rounded millisecond per bucket.
      may: fallOf(atMs - windowMs - windowMs / 59 - 60) > limit,
      trip() {
        trippedUntilMs = atMs + cool_down_s * 1000
      },
    }
  }
}

it('agrees with a plain list of samples over any path of profits, in at most 60 buckets', () => {
  const paths = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: -80, max: 80 })), {
    minLength: 1,
    maxLength: 200,
  })
  const breakers = fc.record({
    max_fall_micro_usd: fc.integer({ min: 1, max: 300 }),
    window_s: fc.option(fc.integer({ min: 60, max: 20_000 }), { nil: null }),
    cool_down_s: fc.integer({ min: 60, max: 5_000 }),
  })
  fc.assert(
    fc.property(breakers, paths, (one, path) => {
      const plain = reference(one)
      let [state, atMs, profit] = [newBreaker(one, 0), 0, 0n]
      for (const [minutes, change] of path) {
        atMs += minutes * MINUTE
        profit += BigInt(change)
        state = sampleBreaker(state, one, { atMs, profit })
        const expected = plain(atMs, profit)
        const isTripped = state.trippedUntilMs !== null && atMs < state.trippedUntilMs
        if (expected.must) expect(isTripped).toBe(true)
        if (!expected.may) expect(isTripped).toBe(false)
        if (isTripped && state.trippedUntilMs === atMs + one.cool_down_s * 1000) expected.trip()
        expect(state.buckets.length).toBeLessThanOrEqual(60)
      }
    }),
    { numRuns: 300 },
  )
})
