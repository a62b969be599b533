import type { Address } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { Header, Place } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/logger'
import {
  askHeader,
  askLogs,
  type BlockRange,
  type ChainLog,
  createLogSpan,
  needAll,
  PAGED,
  readInSpan,
  readOne,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import {
  dropMarksAfter,
  forgetKnown,
  type KnownRow,
  type Mark,
  marksBefore,
  rowOf,
  writeKnown,
  writeMark,
} from './knownPools.ts'
import { createLogReader, creationFilter, type Emitters } from './poolLogs.ts'
import { readLaunches } from './readLaunches.ts'

/** The largest range asked for; nodes that give less say so. */
const MAX_RANGE = 200_000
const FIRST_RANGE = 20_000
const TIMEOUT_MS = 30_000
const MARKS_AT_ONCE = 100

export interface Discovery {
  rpc: Rpc
  db: Db
  emitters: Emitters
  multicall3: Address
  logger: Pick<Logger, 'warn'>
  signal: AbortSignal
}

/**
 * Reads the creation of every pool between two blocks into the store, range by range, each with a mark:
 * whoever goes on after the end of the process goes on from the last mark.
 */
export async function discoverPools(
  { rpc, db, emitters, multicall3, logger, signal }: Discovery,
  from: Place,
  to: Header,
): Promise<void> {
  const filter = creationFilter(emitters)
  const span = createLogSpan({ max: MAX_RANGE, start: FIRST_RANGE })
  const readLog = createLogReader(emitters)
  const bound = { timeoutMs: TIMEOUT_MS }

  /** The range is ours only if its end stood still while it was read. */
  async function readRange({ from, to }: BlockRange): Promise<{ end: Header; logs: ChainLog[] } | null> {
    const end = await readOne(rpc, askHeader(to))
    const logs = filter ? await readOne(rpc, askLogs(filter, { from, to }), bound) : []
    const after = await readOne(rpc, askHeader(to))
    return end && after?.hash === end.hash ? { end, logs } : null
  }

  for (let done = from.number; done < to.number; ) {
    signal.throwIfAborted()
    const { found } = await readInSpan(span, { from: done + 1, to: to.number }, readRange)
    if (!found) throw new Error('the chain changed while the creation of pools was read')
    const launched = await readLaunches(
      { rpc, multicall3, logger, launchpads: emitters.launchpads },
      { head: found.end, logs: found.logs },
    )
    const rows = found.logs.flatMap((log): KnownRow[] => {
      const read = readLog(log, launched)
      return read && 'born' in read ? [rowOf({ pool: read.born, block: log.blockNumber })] : []
    })
    await db.transaction(async (sql) => {
      await writeKnown(sql, rows)
      await writeMark(sql, found.end)
    })
    done = found.end.number
  }
}

/**
 * The newest block on the chain up to which every pool is known. Null when there is none: nothing is known,
 * or what is known is of another chain and is dropped.
 */
export async function lastMark(
  { rpc, db }: Pick<Discovery, 'rpc' | 'db'>,
  head: number,
): Promise<Mark | null> {
  let looked = 0
  for (let before = head + 1; ; ) {
    const marks = await marksBefore(db, before, MARKS_AT_ONCE)
    const headers = await needAll(
      rpc,
      marks.map(({ number }) => askHeader(number)),
      PAGED,
    )
    const found = marks.find(({ hash }, i) => headers[i]?.hash === hash)
    if (found) {
      await dropMarksAfter(db, found.number)
      return found
    }
    looked += marks.length
    if (marks.length < MARKS_AT_ONCE) break
    before = marks[marks.length - 1]!.number
  }
  // A node that has not come as far as the first mark says nothing about it.
  if (looked === 0 && (await marksBefore(db, Number.MAX_SAFE_INTEGER, 1)).length > 0)
    throw new Error('the node is behind every block up to which pools are known')
  await forgetKnown(db)
  return null
}
