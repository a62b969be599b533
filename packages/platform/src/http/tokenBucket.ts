import type { Clock } from '../clock/clock.ts'

export interface TokenBucket {
  /** Takes a token; false if there is none. */
  take(): boolean
}

/** This many a minute, and up to `burst` at once. */
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
      // A clock set back refills nothing.
      left = Math.min(burst, left + (Math.max(0, nowMs - atMs) * perMinute) / 60_000)
      atMs = nowMs
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
