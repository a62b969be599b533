import type { Db } from '@pit/platform/db'
import type { Job } from '@pit/platform/jobs'
import type { Logger } from '@pit/platform/monitoring'
import { markPending } from './tradeRows.ts'

/** Most transactions are mined by then; others who ask for their outcome wait that long. */
const WAIT_MS = 250

/**
 * Marks sent transactions as pending, many in one statement and after the response: a row left as relaying is
 * completed from the chain anyway. A row that is mined before needs no mark.
 */
export interface LateWrites {
  pending(id: number): void
  mined(ids: readonly number[]): void
  /** Resolves once everything queued before is written, or one attempt failed. */
  flush(): Promise<void>
  job: Job
}

export function createLateWrites({ db, logger }: { db: Db; logger: Logger }): LateWrites {
  let waiting = new Set<number>()
  let writing: Promise<void> = Promise.resolve()
  let wake = () => {}

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    const ids = [...waiting]
    waiting.clear()
    try {
      await markPending(db, ids)
    } catch (error) {
      waiting = new Set([...ids, ...waiting])
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
      waiting.add(id)
      wake()
    },
    mined(ids) {
      for (const id of ids) waiting.delete(id)
    },
    flush: () =>
      writeNext().catch((error) =>
        logger.warn({ err: error, rows: waiting.size }, 'failed to mark relayed transactions as pending'),
      ),
    job: {
      name: 'mark pending',
      intervalMs: null,
      wakeAfterMs: WAIT_MS,
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
