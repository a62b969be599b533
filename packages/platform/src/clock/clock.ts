/** Time is injected, so that tests control it. */
export interface Clock {
  nowMs(): number
}

/** Ends a sleep early. An AbortSignal is one. */
export interface Interruption {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A clock with `sleep`. Code that sleeps takes this instead of using timers directly. */
export interface Timer extends Clock {
  /** Resolves when the time has passed or the signal is aborted. `Infinity` waits for the signal. */
  sleep(ms: number, signal?: Interruption): Promise<void>
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const systemClock: Timer = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      // Node turns longer timeouts into 1 ms.
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
