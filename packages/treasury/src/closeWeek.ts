import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { TREASURY_BUCKETS } from '@pit/protocol'
import { countOpen } from '@pit/relay'
import type { TreasuryDeps } from './deps.ts'
import { markTaken } from './matches.ts'
import { readOpenWeek } from './openWeek.ts'
import { refuseRecorded, TransferRefused } from './readTransfer.ts'
import { booksOf } from './rules/books.ts'
import type { Sent } from './rules/composeTransfer.ts'
import { sealRow } from './rules/rowChain.ts'
import { labelOf } from './rules/weeks.ts'
import { readScan } from './scan/scanStore.ts'
import { endsAfter, insertMoves, insertRow, lockHead, onOneSnapshot, readRows } from './store.ts'
import type { Interval, RowBody, WeekToken } from './types.ts'

/** The record was changed: nothing is added until an operator has checked it. */
export class RecordBroken extends Error {
  override readonly name = 'RecordBroken'
}

export type Closing =
  | { kind: 'closed'; row: RowBody & { seq: number; hash: string } }
  /** No week has ended, as far as the chain was read. */
  | { kind: 'nothing due' }
  | { kind: 'waits'; label: string; why: string; differences: number }

/** Trades that are still open after this time go into the next row. */
const WAIT_FOR_TRADES_S = 7_200

export interface CloseRequest {
  wallet: Address
  /** Why differences are accepted; without it a week with differences waits. */
  accept: string | null
  /** Transfers to the buckets, recorded with the week. */
  sent?: readonly Sent[]
  /** Seconds after its end before which a week is not due. */
  delayS?: number
  /** A devnet has no reorganisations: mined trades count as settled. */
  unsettledToo: boolean
  /** Ends the running week, so that it can be closed; undone if it cannot be closed. */
  end?(sql: Sql): Promise<void>
  /** Runs in the same transaction. */
  alongside?(sql: Sql, closing: Closing): Promise<void>
}

/**
 * Records the oldest week that has ended and is not recorded yet. All inputs are in the store, so it is one
 * transaction; a concurrent call waits for it and finds the week closed.
 */
export function closeNextWeek(
  { db, clock, profile }: Pick<TreasuryDeps, 'clock' | 'profile'> & { db: Db },
  { wallet, accept, sent = [], delayS = 0, unsettledToo, end, alongside }: CloseRequest,
): Promise<Closing> {
  const close = async (sql: Sql): Promise<Closing> => {
    const head = await lockHead(sql)
    const { rows, integrity } = await readRows(sql, head)
    if (!integrity.ok) throw new RecordBroken(`row ${integrity.broken_at}: ${integrity.why}`)
    const bodies = rows.map(({ body }) => body)
    await end?.(sql)
    const interval = await nextInterval(sql, wallet, bodies)
    if (!interval || (delayS > 0 && nowS(clock) < interval.endS + delayS)) return { kind: 'nothing due' }
    const waits = (why: string, differences = 0): Closing => ({
      kind: 'waits',
      label: interval.label,
      why,
      differences,
    })
    const waited = nowS(clock) >= interval.endS + WAIT_FOR_TRADES_S
    const open = waited ? 0 : await countOpen(sql, { beforeS: interval.endS, unsettledToo })
    if (open > 0) return waits(`${open} of its trades are not settled yet`)

    const books = booksOf(bodies)
    const { parts, reconciled, taken } = await readOpenWeek(sql, {
      profile,
      wallet,
      interval,
      books,
      accepted: accept,
      sent,
      withEarlier: true,
      marksBeforeS: interval.endS,
    })
    const { differences } = reconciled.counts
    if (differences > 0 && accept === null) {
      return waits(`${differences} fees of the ledger did not arrive as booked`, differences)
    }
    for (const one of sent) await refuseRecorded(sql, { profile }, one)
    refuseTooMuch(parts.tokens)
    const seq = head.seq + 1
    const status = sent.length > 0 ? 'moved' : 'booked'
    const body: RowBody = { ...parts, seq, status, prev_hash: head.hash, recorded_at: nowS(clock) }
    const sealed = sealRow(body)
    await insertRow(sql, sealed)
    for (const one of sent) await insertMoves(sql, one, seq)
    await markTaken(sql, { wallet, toBlock: interval.lastBlock, tokens: taken, seq })
    return { kind: 'closed', row: { ...body, seq, hash: sealed.hash } }
  }
  return onOneSnapshot(db, async (sql) => {
    const closing = await close(sql)
    if (end && closing.kind !== 'closed') throw new NotClosed(closing)
    await alongside?.(sql, closing)
    return closing
  }).catch((error: unknown) => {
    if (error instanceof NotClosed) return error.closing
    throw error
  })
}

/**
 * A week moves at most what its buckets are owed; more than that needs a separate transfer row, with a
 * reason.
 */
function refuseTooMuch(tokens: readonly WeekToken[]): void {
  for (const { symbol, token, moved, owed_in, booked } of tokens) {
    for (const bucket of TREASURY_BUCKETS) {
      const owed = BigInt(owed_in[bucket]) + BigInt(booked[bucket])
      if (BigInt(moved[bucket]) === 0n || BigInt(moved[bucket]) <= owed) continue
      throw new TransferRefused(
        `${moved[bucket]} of ${symbol || token} were sent to ${bucket}, which is owed ${owed}: close the week ` +
          'without that transfer, then record it with a reason',
      )
    }
  }
}

/** Rolls the transaction back, with the end that was set for it. */
class NotClosed extends Error {
  readonly closing: Closing
  constructor(closing: Closing) {
    super(closing.kind)
    this.closing = closing
  }
}

/** From the end of the last row to the next stored end; null if there is none. */
async function nextInterval(sql: Sql, wallet: Address, rows: readonly RowBody[]): Promise<Interval | null> {
  const [next] = await openIntervals(sql, wallet, rows)
  return next ?? null
}

/** Every interval that has ended and has no row yet, oldest first. */
export async function openIntervals(
  sql: Sql,
  wallet: Address,
  rows: readonly RowBody[],
): Promise<Interval[]> {
  const scan = await readScan(sql, wallet)
  if (!scan) return []
  const weeks = rows.filter(({ kind }) => kind === 'week')
  const labels = weeks.map(({ week }) => week.label)
  let startS = weeks.at(-1)?.week.end ?? scan.firstS
  let firstBlock = (weeks.at(-1)?.week.last_block ?? scan.firstBlock - 1) + 1
  return (await endsAfter(sql, wallet, startS)).map(({ endS, lastBlock }) => {
    const label = labelOf({ startS, endS }, labels)
    const interval = { startS, endS, label, firstBlock, lastBlock }
    labels.push(label)
    startS = endS
    firstBlock = lastBlock + 1
    return interval
  })
}
