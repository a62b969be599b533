import type { LeagueDeps } from './deps.ts'

/** Again and again, never two at once; stopping waits for the one under way. */
export function runEvery({
  everyMs,
  work,
  logger,
}: {
  everyMs: number
  work(): Promise<unknown>
  logger: LeagueDeps['logger']
}): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = (pauseMs: number) => {
    timer = setTimeout(() => {
      running = work()
        .catch((error) => logger.warn({ err: error }, 'the league’s jobs failed and are tried again'))
        .then(() => {
          if (!stopped) next(everyMs)
        })
    }, pauseMs)
  }
  next(0)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
