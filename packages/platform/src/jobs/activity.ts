import type { Clock } from '../clock/clock.ts'

/** Whether a process is in use: a request was served within the last minute, or a hosted agent is active. */
export interface Activity {
  note(): void
  isIdle(): boolean
  /** Called when an idle process is used again; returns the unsubscribe function. */
  onReturn(listener: () => void): () => void
}

const IDLE_AFTER_MS = 60_000

/** A new process is in use. */
export function createActivity(clock: Clock): Activity {
  let notedAtMs = clock.nowMs()
  const listeners = new Set<() => void>()
  const isIdle = () => Math.abs(clock.nowMs() - notedAtMs) >= IDLE_AFTER_MS
  return {
    isIdle,
    note() {
      const wasIdle = isIdle()
      notedAtMs = clock.nowMs()
      if (wasIdle) for (const listener of listeners) listener()
    },
    onReturn(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
