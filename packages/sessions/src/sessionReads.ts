import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { SessionStatus } from '@pit/protocol'
import { type Session, statusOf } from './types.ts'

/** Session fields that limit an agent. */
export type AgentSession = Pick<
  Session,
  'id' | 'wallet' | 'executor' | 'binding' | 'rootHash' | 'expiresAtS'
> & { status: SessionStatus }

/** Reads many sessions by id; `nowS` determines which have expired. */
export async function readSessions(
  sql: Sql,
  ids: readonly string[],
  nowS: number,
): Promise<Map<string, AgentSession>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.query<Omit<AgentSession, 'status'> & Pick<Session, 'status'>>(
    `select id, wallet, executor, status, binding, root_hash as "rootHash", expires_at_s as "expiresAtS"
     from sessions where id = any($1::text[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, { ...row, status: statusOf(row, nowS) }]))
}

export async function readSession(sql: Sql, id: string, nowS: number): Promise<AgentSession | null> {
  return (await readSessions(sql, [id], nowS)).get(id) ?? null
}

/** Sessions of these executors that can still trade or be activated. */
export async function openSessionsOf(
  sql: Sql,
  { wallet, executors, nowS }: { wallet: Address; executors: readonly Address[]; nowS: number },
): Promise<{ id: string; executor: Address; status: 'pending' | 'registering' | 'active' }[]> {
  return sql.query(
    `select id, executor, status from sessions
     where wallet = $1 and executor = any($2::text[]) and status <> 'revoked' and expires_at_s > $3
     order by created_at_s, id`,
    [wallet, executors, nowS],
  )
}

/** Owner and executor of a session. */
export type SessionParties = Pick<Session, 'id' | 'wallet' | 'executor'>

/** Every session ever granted to these executors, in any status. */
export const sessionsGrantedTo = (sql: Sql, executors: readonly Address[]): Promise<SessionParties[]> =>
  sql.query('select id, wallet, executor from sessions where executor = any($1::text[])', [executors])

/** By id; deleted sessions are absent. */
export const sessionParties = (sql: Sql, ids: readonly string[]): Promise<SessionParties[]> =>
  sql.query('select id, wallet, executor from sessions where id = any($1::text[])', [ids])
