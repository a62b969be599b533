import type { Db } from '@pit/platform/db'
import type { Job } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/logger'
import { markPending } from './tradeRows.ts'

/**
 * Marks what was sent as pending, many in one statement and after the answer: a row left as relaying is
 * finished from the chain all the same, so the answer need not wait. There are never more than were written
 * first.
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
  /** One after another: a flush waits for what the job has begun. */
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
        logger.warn({ err: error, rows: waiting.length }, 'relayed transactions are not marked pending'),
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
