import type { Interruption, Timer } from './clock.ts'

export interface LoopOptions {
  clock: Timer
  /** From the end of a run to the next start; a function is called after each run. Null: only when woken. */
  intervalMs: number | null | (() => number)
  /** Returning `'more'` runs it again at once. The signal is aborted when the loop is stopped. */
  run(signal: AbortSignal): Promise<unknown>
  /** Delay before the first run. */
  firstAfterMs?: number
  /** How long a wake-up waits for others to merge with it. */
  wakeAfterMs?: number
  /** The pause after failures doubles up to this; it is never shorter than the interval. */
  maxRetryMs?: number
  /** Called after each run; `error` is null on success. Not called for failures after a stop. */
  ended?(error: unknown, tookMs: number): void
}

export interface Loop {
  /** Runs soon: after the current run if there is one, after the pause if the last run failed. */
  wake(): void
  /** When the current run began; null between runs. */
  runningSinceMs(): number | null
  /** Starts no more runs and waits for the current one. */
  stop(): Promise<void>
}

const MAX_RETRY_MS = 5_000
const FIRST_RETRY_MS = 100

/**
 * Runs work repeatedly, never twice at once. The interval counts from the end of a run, so slow runs space
 * out.
 */
export function startLoop({
  clock,
  intervalMs,
  run,
  firstAfterMs = intervalMs === null ? Number.POSITIVE_INFINITY : 0,
  wakeAfterMs = 0,
  maxRetryMs = MAX_RETRY_MS,
  ended,
}: LoopOptions): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  const restMs = (): number | null => (typeof intervalMs === 'function' ? intervalMs() : intervalMs)
  const nap = createNap()
  let isWoken = false
  let runningSinceMs: number | null = null

  /** Sleeps until the next start is due, or a wake-up. */
  async function pause(ms: number): Promise<void> {
    if (!isWoken) {
      nap.begin()
      await clock.sleep(ms, nap)
    }
    if (isWoken && wakeAfterMs > 0) await clock.sleep(wakeAfterMs, signal)
  }

  function retryMs(failures: number): number {
    const backoffMs = Math.min((restMs() ?? FIRST_RETRY_MS) * 2 ** failures, maxRetryMs)
    return Math.max(backoffMs, restMs() ?? 0)
  }

  async function runOnce(): Promise<'failed' | 'more' | 'done'> {
    isWoken = false
    const startedMs = clock.nowMs()
    runningSinceMs = startedMs
    try {
      const more = (await run(signal)) === 'more'
      ended?.(null, Math.max(0, clock.nowMs() - startedMs))
      return more ? 'more' : 'done'
    } catch (error) {
      if (!signal.aborted) ended?.(error, Math.max(0, clock.nowMs() - startedMs))
      return 'failed'
    } finally {
      runningSinceMs = null
    }
  }

  async function loop(): Promise<void> {
    let failures = 0
    await pause(firstAfterMs)
    while (!signal.aborted) {
      const outcome = await runOnce()
      failures = outcome === 'failed' ? failures + 1 : 0
      if (outcome === 'failed') await clock.sleep(retryMs(failures), signal)
      // A stop during the run has already ended the sleep.
      else if (outcome === 'done' && !signal.aborted) await pause(restMs() ?? Number.POSITIVE_INFINITY)
    }
  }

  const running = loop()
  return {
    wake() {
      isWoken = true
      nap.end()
    },
    runningSinceMs: () => runningSinceMs,
    async stop() {
      stopping.abort()
      nap.end()
      await running
    },
  }
}

/** The sleep of one loop, many times over: an AbortController for each costs more than a loop's work. */
function createNap(): Interruption & { begin(): void; end(): void } {
  let aborted = false
  const listeners = new Set<() => void>()
  return {
    get aborted() {
      return aborted
    },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
    begin() {
      aborted = false
    },
    end() {
      aborted = true
      for (const listener of [...listeners]) listener()
      listeners.clear()
    },
  }
}
