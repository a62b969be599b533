import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/**
 * Reads of hosted agents for other packages. Each takes the caller's `Sql`, so it joins the caller's
 * transaction.
 */

/** The subset of these sessions that an agent still uses. */
export async function sessionsInUse(sql: Sql, sessionIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql.query<{ session_id: string }>(
    'select session_id from hosted_agents where session_id = any($1::text[])',
    [sessionIds],
  )
  return new Set(rows.map(({ session_id }) => session_id))
}

/** The subset of these wallets that have agents. */
export async function walletsWithAgents(sql: Sql, wallets: readonly Address[]): Promise<Set<Address>> {
  const rows = await sql.query<{ wallet: Address }>(
    'select distinct wallet from hosted_agents where wallet = any($1::text[]) and deleted_at_s is null',
    [wallets],
  )
  return new Set(rows.map(({ wallet }) => wallet))
}

/** An agent's pairs and interval, locked until the transaction ends; null if the agent no longer runs. */
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

/** The client network an agent was created from; null if unknown or forgotten. */
export async function networkOf(sql: Sql, id: string): Promise<string | null> {
  const [agent] = await sql.query<{ made_from: string | null }>(
    'select made_from from hosted_agents where id = $1',
    [id],
  )
  return agent?.made_from ?? null
}

/** Names of agents, including deleted ones. */
export async function agentNames(sql: Sql, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await sql.query<{ id: string; name: string | null }>(
    'select id, name from hosted_agents where id = any($1::text[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
