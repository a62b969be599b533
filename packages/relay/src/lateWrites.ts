import type { Db } from '@pit/platform/db'
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
  /** Makes one last attempt. */
  close(): Promise<void>
}

const GATHER_MS = 5
const RETRY_MS = 500

export function createLateWrites({
  db,
  logger,
  gatherMs = GATHER_MS,
}: {
  db: Db
  logger: Logger
  gatherMs?: number
}): LateWrites {
  let waiting: number[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let closed = false

  async function write(): Promise<void> {
    const ids = waiting.splice(0)
    if (ids.length === 0) return
    try {
      await markPending(db, ids)
    } catch (error) {
      waiting = [...ids, ...waiting]
      logger.warn({ err: error, rows: ids.length }, 'relayed transactions are not marked pending yet')
      if (!closed) schedule(RETRY_MS)
    }
  }
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  function schedule(ms: number): void {
    timer ??= setTimeout(() => void flush(), ms)
  }
  return {
    pending(id) {
      waiting.push(id)
      schedule(gatherMs)
    },
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}
