import type { Clock } from '../clock/clock.ts'

export interface AfterChangeOptions {
  /** Counts blocks that may have changed state; null while blocks are not followed. */
  changes?: (() => number | null) | undefined
  clock: Clock
  /** Reads again after this time, changed or not. */
  maxMs: number
}

/** Skips a reading of the chain's state while only empty blocks have come since the last one. */
export function afterChange(
  { changes, clock, maxMs }: AfterChangeOptions,
  read: () => Promise<void>,
): () => Promise<void> {
  let seen: number | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = changes?.() ?? null
    const startedMs = clock.nowMs()
    if (now !== null && now === seen && startedMs - readAtMs < maxMs) return
    await read()
    seen = now
    readAtMs = startedMs
  }
}
