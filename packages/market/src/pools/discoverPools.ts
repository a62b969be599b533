import type { Address } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { Header, Place } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
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

/** The largest range requested; nodes with a smaller limit report it. */
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
 * Reads the creation of every pool between two blocks into the store, range by range, each with a mark: a
 * restart continues at the last mark.
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

  /** The range counts only if its end block did not change while it was read. */
  async function readRange({ from, to }: BlockRange): Promise<{ end: Header; logs: ChainLog[] } | null> {
    const end = await readOne(rpc, askHeader(to))
    const logs = filter ? await readOne(rpc, askLogs(filter, { from, to }), bound) : []
    const after = await readOne(rpc, askHeader(to))
    return end && after?.hash === end.hash ? { end, logs } : null
  }

  for (let position = from.number; position < to.number; ) {
    signal.throwIfAborted()
    const { result: found } = await readInSpan(span, { from: position + 1, to: to.number }, readRange)
    if (!found) throw new Error('the chain changed while pool creations were read')
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
    position = found.end.number
  }
}

/**
 * The newest canonical block up to which every pool is known. Null without one: nothing is known, or the known
 * pools are from another chain and are dropped.
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
    const mark = marks.find(({ hash }, i) => headers[i]?.hash === hash)
    if (mark) {
      await dropMarksAfter(db, mark.number)
      return mark
    }
    looked += marks.length
    if (marks.length < MARKS_AT_ONCE) break
    before = marks[marks.length - 1]!.number
  }
  // A node that has not reached the first mark cannot confirm or refute it.
  if (looked === 0 && (await marksBefore(db, Number.MAX_SAFE_INTEGER, 1)).length > 0)
    throw new Error('the node is behind all stored pool marks')
  await forgetKnown(db)
  return null
}
