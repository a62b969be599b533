import type { Timer } from './clock.ts'

/**
 * Looks again and again until what is seen holds, and answers what was seen last: whoever asked tells from it
 * whether the time ran out. A look that throws ends it.
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
    // By the looks too: a clock that was set back must not make it wait for long.
    const passedMs = Math.max(clock.nowMs() - startedMs, (looks - 1) * everyMs)
    if (holds(seen) || passedMs >= withinMs || signal?.aborted) return seen
    await clock.sleep(everyMs, signal)
  }
}
