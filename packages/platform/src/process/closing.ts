import type { Logger } from '../monitoring/logger.ts'

export interface Closing {
  /** Registers a part to close; parts close in reverse order of opening. */
  add(end: () => Promise<unknown> | unknown): void
  close(): Promise<void>
}

/** Parts opened by a process. A part that fails to close does not stop the others from closing. */
export function createClosing(logger: Pick<Logger, 'warn'>): Closing {
  const opened: (() => Promise<unknown> | unknown)[] = []
  return {
    add: (end) => void opened.push(end),
    async close() {
      for (const end of opened.splice(0).reverse()) {
        await Promise.resolve()
          .then(end)
          .catch((error) => logger.warn({ err: error }, 'failed to close a part of the process'))
      }
    },
  }
}
