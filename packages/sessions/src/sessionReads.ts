import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { SessionStatus } from '@pit/protocol'
import { type Session, statusOf } from './types.ts'

/** A session as far as it bounds an agent. */
export type AgentSession = Pick<
  Session,
  'id' | 'wallet' | 'executor' | 'binding' | 'rootHash' | 'expiresAtS'
> & { status: SessionStatus }

/** Many at once, by id; `nowS` tells which have run out. */
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

/** What could still be traded under, or be switched on, by one of these executors of the wallet's agents. */
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

/** Who granted a session, and to whom. */
export type SessionParties = Pick<Session, 'id' | 'wallet' | 'executor'>

/** Every session these executors were ever granted, of every status. */
export const sessionsGrantedTo = (sql: Sql, executors: readonly Address[]): Promise<SessionParties[]> =>
  sql.query('select id, wallet, executor from sessions where executor = any($1::text[])', [executors])

/** Many at once, by id; one that was deleted is absent. */
export const sessionParties = (sql: Sql, ids: readonly string[]): Promise<SessionParties[]> =>
  sql.query('select id, wallet, executor from sessions where id = any($1::text[])', [ids])
