import type { Clock } from '@pit/platform/clock'

const MOST_KEYS = 10_000
const MOST_REST_S = 300
const REST_S = 30

/** Keys the vendor told to slow down: asking again before then would only make it worse. */
export function createRestingKeys(clock: Clock) {
  const until = new Map<string, number>()
  return {
    rests: (owner: string): boolean => (until.get(owner) ?? 0) > clock.nowMs(),
    rest(owner: string, seconds: number | null): void {
      until.delete(owner)
      until.set(owner, clock.nowMs() + Math.min(seconds ?? REST_S, MOST_REST_S) * 1_000)
      const oldest = until.keys().next().value
      if (until.size > MOST_KEYS && oldest !== undefined) until.delete(oldest)
    },
  }
}
export type RestingKeys = ReturnType<typeof createRestingKeys>
