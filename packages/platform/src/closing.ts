import type { Logger } from './logger.ts'

export interface Closing {
  /** Ends it when all ends: what was opened last ends first. */
  add(end: () => Promise<unknown> | unknown): void
  close(): Promise<void>
}

/** What a process has opened. A part that cannot end must not keep those below it from being closed. */
export function createClosing(logger: Pick<Logger, 'warn'>): Closing {
  const opened: (() => Promise<unknown> | unknown)[] = []
  return {
    add: (end) => void opened.push(end),
    async close() {
      for (const end of opened.splice(0).reverse()) {
        await Promise.resolve()
          .then(end)
          .catch((error) => logger.warn({ err: error }, 'a part did not end cleanly'))
      }
    },
  }
}
