import type { Address, Hex } from '@pit/chain'
import { newestMarks, registryTexts } from '@pit/market'
import type { Db, Sql } from '@pit/platform/db'
import type { TreasuryBucket } from '@pit/protocol'
import type { Sent } from './rules/composeTransfer.ts'
import { type CheckedRows, checkRows, type StoredHead, type StoredRow } from './rules/rowChain.ts'
import type { TokenText, WeekMark } from './types.ts'

/** Maximum age of a mark at the end of a week. */
const MARK_MAX_AGE_S = 3_600
const MAX_SYMBOL_CHARS = 64
const STATEMENT_TIMEOUT_MS = 120_000

/**
 * Runs on one snapshot of the store: concurrent bookings are neither counted nor marked. Two writers wait for
 * each other, and the second runs again on the new state.
 */
export const onOneSnapshot = <T>(db: Db, run: (sql: Sql) => Promise<T>): Promise<T> =>
  db.transaction(run, { snapshot: true, statementTimeoutMs: STATEMENT_TIMEOUT_MS })

/** Reads and locks the head before a row is added; other writers wait. */
export const lockHead = (sql: Sql): Promise<StoredHead> => headBy(sql, 'for update')
export const readHead = (sql: Sql): Promise<StoredHead> => headBy(sql, '')

async function headBy(sql: Sql, lock: '' | 'for update'): Promise<StoredHead> {
  const [head] = await sql.query<StoredHead>(`select seq, hash from treasury_head ${lock}`)
  return head ?? { seq: 0, hash: null }
}

/** Reads and verifies every row. */
export async function readRows(sql: Sql, head: StoredHead): Promise<CheckedRows> {
  const stored = await sql.query<StoredRow>('select seq, body, hash from treasury_rows order by seq')
  return checkRows(stored, head)
}

export async function insertRow(sql: Sql, { seq, body, hash }: StoredRow): Promise<void> {
  await sql.query('insert into treasury_rows (seq, body, hash) values ($1, $2, $3)', [seq, body, hash])
  await sql.query('update treasury_head set seq = $1, hash = $2', [seq, hash])
}

/** Ends of intervals after a time, soonest first. */
export async function endsAfter(
  sql: Sql,
  wallet: Address,
  afterS: number,
): Promise<{ endS: number; lastBlock: number }[]> {
  const rows = await sql.query<{ end_s: number; last_block: number }>(
    'select end_s, last_block from treasury_ends where wallet = $1 and end_s > $2 order by end_s limit 60',
    [wallet, afterS],
  )
  return rows.map(({ end_s, last_block }) => ({ endS: end_s, lastBlock: last_block }))
}

/** Marks as they stood when a week ended. */
export const marksAt = (
  sql: Sql,
  tokens: readonly Address[],
  endS: number,
): Promise<Map<Address, WeekMark>> =>
  newestMarks(sql, tokens, { fromS: endS - MARK_MAX_AGE_S, beforeS: endS })

/** Names of tokens that the profile does not list, as their deployers chose them. */
export async function textsOf(sql: Sql, tokens: readonly Address[]): Promise<Map<Address, TokenText>> {
  const byAddress = new Map((await registryTexts(sql, tokens)).map((text) => [text.address, text]))
  return new Map(
    tokens.map((token) => {
      const { symbol = '', decimals = 0 } = byAddress.get(token) ?? {}
      return [token, { token, symbol: (symbol ?? '').slice(0, MAX_SYMBOL_CHARS), decimals: decimals ?? 0 }]
    }),
  )
}

/** The bucket for which a transaction was recorded before; null if none. */
export async function recordedFor(
  sql: Sql,
  txHash: Hex,
  buckets: readonly TreasuryBucket[],
): Promise<TreasuryBucket | null> {
  const [row] = await sql.query<{ bucket: TreasuryBucket }>(
    'select bucket from treasury_moves where tx_hash = $1 and bucket = any($2) limit 1',
    [txHash, buckets],
  )
  return row?.bucket ?? null
}

export async function insertMoves(sql: Sql, { txHash, bucket, tokens }: Sent, seq: number): Promise<void> {
  for (const { token, atoms } of tokens) {
    await sql.query(
      'insert into treasury_moves (tx_hash, bucket, token, atoms, seq) values ($1, $2, $3, $4, $5)',
      [txHash, bucket, token, atoms.toString(), seq],
    )
  }
}
