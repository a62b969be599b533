import type { Db } from '@pit/platform/db'
import type { Job } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/monitoring'
import { markPending } from './tradeRows.ts'

/**
 * Marks sent transactions as pending, many in one statement and after the response: a row left as relaying is
 * completed from the chain anyway. Never more rows than were inserted.
 */
export interface LateWrites {
  pending(id: number): void
  /** Resolves once everything queued before is written, or one attempt failed. */
  flush(): Promise<void>
  job: Job
}

export function createLateWrites({ db, logger }: { db: Db; logger: Logger }): LateWrites {
  let waiting: number[] = []
  let writing: Promise<void> = Promise.resolve()
  let wake = () => {}

  async function write(): Promise<void> {
    const ids = waiting.splice(0)
    if (ids.length === 0) return
    try {
      await markPending(db, ids)
    } catch (error) {
      waiting = [...ids, ...waiting]
      throw error
    }
  }
  /** Writes are serialized: a flush waits for the running job. */
  function writeNext(): Promise<void> {
    const own = writing.then(write)
    writing = own.catch(() => {})
    return own
  }
  return {
    pending(id) {
      waiting.push(id)
      wake()
    },
    flush: () =>
      writeNext().catch((error) =>
        logger.warn({ err: error, rows: waiting.length }, 'failed to mark relayed transactions as pending'),
      ),
    job: {
      name: 'mark pending',
      intervalMs: null,
      wakeAfterMs: 5,
      maxRetryMs: 500,
      run: writeNext,
      wakeOn(loop) {
        wake = loop
        return () => {
          wake = () => {}
        }
      },
    },
  }
}
