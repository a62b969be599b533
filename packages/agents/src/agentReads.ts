import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** What others may know of hosted agents. Each takes the caller's `Sql`, and so joins its transaction. */

/** Those of these sessions that an agent still names. */
export async function sessionsInUse(sql: Sql, sessionIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql.query<{ session_id: string }>(
    'select session_id from hosted_agents where session_id = any($1::text[])',
    [sessionIds],
  )
  return new Set(rows.map(({ session_id }) => session_id))
}

/** Those of these wallets that have agents. */
export async function walletsWithAgents(sql: Sql, wallets: readonly Address[]): Promise<Set<Address>> {
  const rows = await sql.query<{ wallet: Address }>(
    'select distinct wallet from hosted_agents where wallet = any($1::text[]) and deleted_at_s is null',
    [wallets],
  )
  return new Set(rows.map(({ wallet }) => wallet))
}

/**
 * What an agent trades and how often, held as it is until the transaction ends; null for one that runs no
 * more.
 */
export async function holdAgent(
  sql: Sql,
  id: string,
): Promise<{ pairs: string[]; intervalS: number } | null> {
  const [agent] = await sql.query<{ pairs: string[]; interval_s: number }>(
    `select pairs, interval_s from hosted_agents
     where id = $1 and status <> 'stopped' and deleted_at_s is null for share`,
    [id],
  )
  return agent ? { pairs: agent.pairs, intervalS: agent.interval_s } : null
}

/** The names owners gave their agents, deleted ones too. */
export async function agentNames(sql: Sql, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await sql.query<{ id: string; name: string | null }>(
    'select id, name from hosted_agents where id = any($1::text[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
