import type { Clock } from './clock.ts'

export interface TokenBucket {
  /** Whether there was one to take. */
  take(): boolean
}

/** So many a minute, and as many at once as `burst`. */
export function createTokenBucket({
  perMinute,
  burst,
  clock,
}: {
  perMinute: number
  burst: number
  clock: Clock
}): TokenBucket {
  let left = burst
  let atMs = clock.nowMs()
  return {
    take() {
      const nowMs = clock.nowMs()
      // A clock set back fills nothing.
      left = Math.min(burst, left + (Math.max(0, nowMs - atMs) * perMinute) / 60_000)
      atMs = nowMs
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
