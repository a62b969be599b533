/** Runs one job at an interval, never twice at once; skips a beat while it runs. */
export interface Ticker {
  start(everyMs: number): void
  stop(): void
}

export function createTicker(job: () => Promise<void>): Ticker {
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearInterval(timer)
  return {
    start(everyMs) {
      stop()
      let isBusy = false
      timer = setInterval(() => {
        if (isBusy) return
        isBusy = true
        job().finally(() => {
          isBusy = false
        })
      }, everyMs)
    },
    stop,
  }
}
