import type { Timer } from './clock.ts'

/**
 * Polls until `holds` accepts the value, and returns the last value: on a timeout, one that does not hold.
 * A poll that throws ends it.
 */
export async function lookUntil<T>(
  clock: Timer,
  look: () => Promise<T>,
  {
    holds,
    withinMs,
    everyMs,
    signal,
  }: { holds(seen: T): boolean; withinMs: number; everyMs: number; signal?: AbortSignal },
): Promise<T> {
  const startedMs = clock.nowMs()
  for (let looks = 1; ; looks++) {
    const seen = await look()
    // Count polls too: a clock that was set back must not extend the wait.
    const passedMs = Math.max(clock.nowMs() - startedMs, (looks - 1) * everyMs)
    if (holds(seen) || passedMs >= withinMs || signal?.aborted) return seen
    await clock.sleep(everyMs, signal)
  }
}
