/** Time is handed in, so tests own it. */
export interface Clock {
  nowMs(): number
}

/** A clock that can be waited for too: whatever sleeps takes this, never a timer of its own. */
export interface Timer extends Clock {
  /** Resolves when the time has passed or the signal is aborted. `Infinity` waits for the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const systemClock: Timer = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      // Node would take more than this for one millisecond.
      if (ms > MAX_TIMEOUT_MS && ms !== Number.POSITIVE_INFINITY)
        return reject(new RangeError(`cannot sleep for ${ms} ms`))
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, ms)
      signal?.addEventListener('abort', end)
    }),
}

export const nowS = (clock: Clock): number => Math.floor(clock.nowMs() / 1000)
