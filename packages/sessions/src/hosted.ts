import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** What sessions read of hosted agents: whose executor an address is. */

/** The owner of the hosted agent whose executor this is or was; null when it is none. */
export async function executorOwner(sql: Sql, executor: Address): Promise<Address | null> {
  const [row] = await sql.query<{ owner: Address }>(
    'select owner from hosted_executors where executor = $1',
    [executor],
  )
  return row?.owner ?? null
}

/** Whether the agent trades by this executor now. */
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
