import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { openIntervals } from './closeWeek.ts'
import type { TreasuryDeps } from './deps.ts'
import { readOpenWeek } from './openWeek.ts'
import { addRow, type Books, booksOf } from './rules/books.ts'
import { labelOf, weekEndOf } from './rules/weeks.ts'
import { readScan } from './scan/scanStore.ts'
import type { Interval, RowBody, ServedRow } from './types.ts'

/** Maximum number of ended, unrecorded weeks shown. */
const MAX_WAITING = 8

/** The next rows as they would be now, oldest first: ended weeks without a row, and the running week. */
export async function readPreviews(
  sql: Sql,
  { profile, clock }: Pick<TreasuryDeps, 'profile' | 'clock'>,
  wallet: Address,
  rows: readonly RowBody[],
): Promise<ServedRow[]> {
  const intervals = await allIntervals(sql, wallet, rows)
  const books: Books = booksOf(rows)
  const previews: ServedRow[] = []
  for (const { interval, runs } of intervals) {
    const { parts } = await readOpenWeek(sql, {
      profile,
      wallet,
      interval,
      books,
      accepted: null,
      withEarlier: previews.length === 0,
      marksBeforeS: Math.min(interval.endS, nowS(clock) + 1),
    })
    addRow(books, parts)
    previews.push({
      ...parts,
      week: { ...parts.week, last_block: runs ? null : parts.week.last_block },
      status: 'preview',
      seq: null,
      prev_hash: null,
      hash: null,
      recorded_at: null,
    })
  }
  return previews
}

async function allIntervals(
  sql: Sql,
  wallet: Address,
  rows: readonly RowBody[],
): Promise<{ interval: Interval; runs: boolean }[]> {
  const scan = await readScan(sql, wallet)
  if (!scan) return []
  const waiting = await openIntervals(sql, wallet, rows)
  const ended = waiting.slice(0, MAX_WAITING)
  const before = rows.filter(({ kind }) => kind === 'week').map(({ week }) => week)
  const last = ended.at(-1)
  const startS = last?.endS ?? before.at(-1)?.end ?? scan.firstS
  const firstBlock = (last?.lastBlock ?? before.at(-1)?.last_block ?? scan.firstBlock - 1) + 1
  const endS = weekEndOf(startS)
  const labels = [...before, ...ended].map(({ label }) => label)
  const running: Interval = {
    startS,
    endS,
    label: labelOf({ startS, endS }, labels),
    firstBlock,
    lastBlock: Math.max(scan.block, firstBlock - 1),
  }
  const shown = ended.map((interval) => ({ interval, runs: false }))
  // With more waiting weeks than shown, the running one would not be next.
  return waiting.length > ended.length ? shown : [...shown, { interval: running, runs: true }]
}
