import { setImmediate } from 'node:timers/promises'
import type { Timer } from '../src/clock/clock.ts'

interface Sleeper {
  dueMs: number
  wake(): void
}

export interface ManualClock extends Timer {
  /** Advances time; sleepers wake in order, and what they start runs before the next one wakes. */
  advance(ms: number): Promise<void>
  /** Sets the clock back or forward without waking sleepers. */
  set(nowMs: number): void
  /** Number of sleepers. */
  sleeping(): number
}

/** A clock that stands still until a test moves it. */
export function createManualClock(startMs = 0): ManualClock {
  let nowMs = startMs
  // Sleeps use a monotonic clock, as system timers do.
  let passedMs = 0
  const sleepers = new Set<Sleeper>()

  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper: Sleeper = { dueMs: passedMs + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake)
      }),
    async advance(ms) {
      const untilMs = passedMs + ms
      for (;;) {
        await settle()
        const [next] = [...sleepers].sort((a, b) => a.dueMs - b.dueMs)
        if (!next || next.dueMs > untilMs) break
        const stepMs = Math.max(0, next.dueMs - passedMs)
        nowMs += stepMs
        passedMs += stepMs
        next.wake()
      }
      nowMs += untilMs - passedMs
      passedMs = untilMs
      await settle()
    },
    set(to) {
      nowMs = to
    },
    sleeping: () => sleepers.size,
  }
}

/** Drains everything that can run without time passing: chained promises take turns of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}
