import type { Hex } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import { type RootName, SPEND_WINDOW_MS } from './store.ts'
import type { ClientRequest } from './trade/clientIdTrades.ts'
import type { Session, Used } from './types.ts'

/**
 * A counted trade; one that another request counted under the same client_id; or the session's state if it
 * has no capacity left.
 */
export type Reserved =
  | { kind: 'counted'; id: number }
  | { kind: 'duplicate' }
  | { kind: 'full'; status: Session['status']; used: Used }

/** Stored data of a trade with a client_id. */
export interface Reservation extends ClientRequest {
  keyId: number
  draft: string
}

export const namedValues = (named: Reservation | null) => [
  named?.clientId ?? null,
  named?.requestHash ?? null,
  named?.keyId ?? null,
  named?.draft ?? null,
]

/**
 * Counts a trade before the co-signer is called. Locks the session's row, so that concurrent trades of any
 * process see each other and cannot both use the last dollar.
 */
export async function reserve(
  sql: Sql,
  {
    session,
    microUsd,
    nowMs,
    named,
  }: {
    session: Pick<Session, 'id' | 'binding'>
    microUsd: bigint
    nowMs: number
    named: Reservation | null
  },
): Promise<Reserved> {
  const { max_trades, max_day_micro_usd } = session.binding.limits
  const [row] = await sql.query<{
    trade_id: number | null
    session_status: Session['status'] | null
    trade_count: number
    day_micro_usd: number
    is_known: boolean
  }>(
    'select * from reserve_session_trade($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    [session.id, max_trades, max_day_micro_usd, microUsd, nowMs, SPEND_WINDOW_MS, ...namedValues(named)],
    { prepared: true },
  )
  const { trade_id: id, session_status, trade_count: trades, day_micro_usd, is_known } = row!
  if (id !== null) return { kind: 'counted', id }
  if (is_known) return { kind: 'duplicate' }
  return {
    kind: 'full',
    status: session_status ?? 'revoked',
    used: { trades, dayMicroUsd: BigInt(day_micro_usd) },
  }
}

/** The co-signer refused: removes the count, unless another request shares it. */
export async function release(sql: Sql, id: number): Promise<void> {
  await sql.query(`delete from session_trades where id = $1 and status = 'asked' and not shared`, [id])
}

export interface Settling {
  id: number
  sessionId: string
  named: Reservation | null
  leaf: { sequence: number; hash: Hex; microUsd: number; atMs: number }
}

/**
 * Stores the co-signer's count; for a named trade also if it was marked as refused or lost meanwhile. Returns
 * the session's current status, which may be revoked.
 */
export async function settle(sql: Sql, { id, sessionId, named, leaf }: Settling): Promise<Session['status']> {
  const [row] = await sql.query<{ status: Session['status'] }>(
    `with settled as (
       update session_trades set status = 'signed', sequence = $2, leaf_hash = $3, micro_usd = $4,
         created_at_ms = $5
       where id = $1 returning session_id),
     found as (
       insert into session_trades (session_id, status, sequence, leaf_hash, micro_usd, created_at_ms,
         client_id, request_hash, key_id, draft)
       select $6, 'signed', $2, $3, $4, $5, $7, $8, $9, $10
       where $7::text is not null and not exists (select from settled) on conflict do nothing)
     select status from sessions where id = $6 and ($7::text is not null or exists (select from settled))`,
    [id, leaf.sequence, leaf.hash, leaf.microUsd, leaf.atMs, sessionId, ...namedValues(named)],
    { prepared: true },
  )
  return row?.status ?? 'revoked'
}

/** Sessions with lost responses older than `sentBeforeMs`, which the co-signer can resolve. */
export const sessionsWithLostLeaves = (sql: Sql, sentBeforeMs: number, max: number): Promise<RootName[]> =>
  sql.query(
    `select s.id, s.root_hash as "rootHash" from sessions s where exists (
       select 1 from session_trades t
       where t.session_id = s.id and t.status = 'asked' and t.created_at_ms < $1)
     limit $2`,
    [sentBeforeMs, max],
  )

/**
 * Applies the co-signer's number of leaves: as many unanswered trades as it has beyond the signed ones were
 * counted, oldest first; the others never reached it. Recent ones may still be running and are skipped. The
 * number was read before the lock: if a trade was signed since, it is outdated and nothing is released.
 */
export function reconcile(
  db: Db,
  { sessionId, leaves, sentBeforeMs }: { sessionId: string; leaves: number; sentBeforeMs: number },
): Promise<void> {
  return db.transaction(async (sql) => {
    await sql.query('select id from sessions where id = $1 for update', [sessionId])
    const rows = await sql.query<{
      id: number
      status: string
      sequence: number | null
      created_at_ms: number
    }>(
      `select id, status, sequence, created_at_ms from session_trades where session_id = $1
       order by created_at_ms, id`,
      [sessionId],
    )
    if (rows.some(({ sequence }) => sequence !== null && sequence > leaves)) return
    const unanswered = rows.filter(({ status }) => status === 'asked')
    const lost = unanswered.filter(({ created_at_ms }) => created_at_ms < sentBeforeMs)
    const counted = Math.max(0, leaves - (rows.length - unanswered.length))
    const [signed, never] = [lost.slice(0, counted), lost.slice(counted)]
    await sql.query(`update session_trades set status = 'signed' where id = any($1::int8[])`, [
      signed.map(({ id }) => id),
    ])
    await sql.query('delete from session_trades where id = any($1::int8[])', [never.map(({ id }) => id)])
  })
}
