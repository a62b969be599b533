import type { Clock } from '../clock/clock.ts'
import { withinMs } from '../clock/withinMs.ts'

/** Whether a process is in use: a request was served within the last minute, or a hosted agent is active. */
export interface Activity {
  /** Until an idle process is up to date again, returns a promise that never rejects. */
  note(): Promise<void> | undefined
  isIdle(): boolean
  /** Called when an idle process is used again; its uses wait for the result. Returns the unsubscribe function. */
  onReturn(listener: () => unknown): () => void
}

const IDLE_AFTER_MS = 60_000
/** Without the chain, a process cannot become up to date. */
const MAX_WAIT_MS = 2_000

/** A new process is in use. */
export function createActivity(clock: Pick<Clock, 'nowMs'>): Activity {
  let notedAtMs = clock.nowMs()
  let returning: Promise<void> | undefined
  const listeners = new Set<() => unknown>()
  const isIdle = () => Math.abs(clock.nowMs() - notedAtMs) >= IDLE_AFTER_MS
  return {
    isIdle,
    note() {
      const wasIdle = isIdle()
      notedAtMs = clock.nowMs()
      if (wasIdle) {
        const ready = Promise.allSettled([...listeners].map(async (listener) => listener()))
        returning = withinMs(MAX_WAIT_MS, ready, () => new Error('late'))
          .then(
            () => {},
            () => {},
          )
          .finally(() => {
            returning = undefined
          })
      }
      return returning
    },
    onReturn(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
