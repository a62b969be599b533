import { withinMs } from '@pit/platform/clock'

export interface Reading {
  /** Reads now, or joins the running reading. */
  run(): Promise<void>
  /** Resolves with a reading, successful or not, that ended at most `maxAgeMs` ago; after `maxWaitMs` without one. */
  current(): Promise<void>
}

/** A reading that a job repeats rarely while the signer is not called: a call then waits for a new one. */
export function createReading(
  read: () => Promise<void>,
  {
    maxAgeMs,
    maxWaitMs = 2_000,
    nowMs = () => performance.now(),
  }: { maxAgeMs: number; maxWaitMs?: number; nowMs?: () => number },
): Reading {
  let endedAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const run = (): Promise<void> => {
    running ??= read().finally(() => {
      endedAtMs = nowMs()
      running = undefined
    })
    return running
  }
  return {
    run,
    async current() {
      if (nowMs() - endedAtMs <= maxAgeMs) return
      await withinMs(maxWaitMs, run(), () => new Error('the reading is slow')).catch(() => {})
    },
  }
}
