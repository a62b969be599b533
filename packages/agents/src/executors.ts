import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { AttestedExecutor } from '@pit/signer-wire'

/** A current or former executor of an agent. The signer holds its key. */
export interface StoredExecutor {
  executor: Address
  agentId: string
  owner: Address
  attestation: AttestedExecutor
  /** When another executor replaced it. */
  retiredAtS: number | null
  /** When its gas was refunded; it signs nothing after that. */
  closedAtS: number | null
  /** When its owner last revoked the stock attestation. */
  stockRevokedAtS: number | null
}

interface ExecutorRow {
  executor: Address
  agent_id: string
  owner: Address
  attestation: AttestedExecutor
  retired_at_s: number | null
  closed_at_s: number | null
  stock_revoked_at_s: number | null
}

export async function addExecutor(
  sql: Sql,
  {
    executor,
    agentId,
    owner,
    attestation,
  }: Pick<StoredExecutor, 'executor' | 'agentId' | 'owner' | 'attestation'>,
  atS: number,
): Promise<void> {
  await sql.query(
    `insert into hosted_executors (executor, agent_id, owner, attestation, created_at_s)
     values ($1, $2, $3, $4, $5)`,
    [executor, agentId, owner, JSON.stringify(attestation), atS],
  )
}

/** The current executor first, then replaced ones, newest first. */
export async function executorsOf(sql: Sql, agentId: string): Promise<StoredExecutor[]> {
  const rows = await sql.query<ExecutorRow>(
    `select executor, agent_id, owner, attestation, retired_at_s, closed_at_s, stock_revoked_at_s
     from hosted_executors where agent_id = $1
     order by retired_at_s desc nulls first, created_at_s desc`,
    [agentId],
  )
  return rows.map((row) => ({
    executor: row.executor,
    agentId: row.agent_id,
    owner: row.owner,
    attestation: row.attestation,
    retiredAtS: row.retired_at_s,
    closedAtS: row.closed_at_s,
    stockRevokedAtS: row.stock_revoked_at_s,
  }))
}

export async function retireExecutor(sql: Sql, executor: Address, atS: number): Promise<void> {
  await sql.query('update hosted_executors set retired_at_s = $2 where executor = $1', [executor, atS])
}

export async function markClosed(sql: Sql, executor: Address, atS: number): Promise<void> {
  await sql.query(
    'update hosted_executors set closed_at_s = $2 where executor = $1 and closed_at_s is null',
    [executor, atS],
  )
}

export async function markStockRevoked(sql: Sql, executor: Address, atS: number): Promise<void> {
  await sql.query(
    `update hosted_executors set stock_revoked_at_s = $2, stock_revoke_told_at_s = null where executor = $1`,
    [executor, atS],
  )
}

export async function markStockRevokeTold(sql: Sql, executor: Address, atS: number): Promise<void> {
  await sql.query('update hosted_executors set stock_revoke_told_at_s = $2 where executor = $1', [
    executor,
    atS,
  ])
}

/** Executors whose stock revocation the signer has not confirmed. */
export async function unconfirmedStockRevocations(sql: Sql, limit: number): Promise<Address[]> {
  const rows = await sql.query<{ executor: Address }>(
    `select executor from hosted_executors
     where stock_revoked_at_s is not null and stock_revoke_told_at_s is null order by executor limit $1`,
    [limit],
  )
  return rows.map(({ executor }) => executor)
}

/** The agent of each session that its own owner granted to one of these executors. */
export function agentsBySession(
  executors: readonly { executor: Address; agent_id: string; owner: Address }[],
  sessions: readonly { id: string; wallet: Address; executor: Address }[],
): Map<string, string> {
  const byAddress = new Map(executors.map((one) => [one.executor, one]))
  return new Map(
    sessions.flatMap(({ id, wallet, executor }) => {
      const one = byAddress.get(executor)
      return one?.owner === wallet ? [[id, one.agent_id] as const] : []
    }),
  )
}

/** Owner of the agent with this current or former executor; null if it belongs to no agent. */
export async function executorOwner(sql: Sql, executor: Address): Promise<Address | null> {
  const [row] = await sql.query<{ owner: Address }>(
    'select owner from hosted_executors where executor = $1',
    [executor],
  )
  return row?.owner ?? null
}

/** Whether this is the agent's current executor. */
export async function isExecutorOf(
  sql: Sql,
  { executor, agentId }: { executor: Address; agentId: string },
): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from hosted_executors
     where executor = $1 and agent_id = $2 and retired_at_s is null and closed_at_s is null`,
    [executor, agentId],
  )
  return rows.length > 0
}
