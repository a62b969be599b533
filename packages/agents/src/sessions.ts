import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { isUnderWay, tradesByHash } from '@pit/relay'

export { type AgentSession, openSessionsOf, readSession, readSessions } from '@pit/sessions'

/** When the newest signed order was begun whose trade has not landed, in milliseconds; null without one. */
export async function lastUnlanded(sql: Sql, agentId: string): Promise<number | null> {
  const orders = await sql.query<{ tx_hash: Hex | null; created_at_ms: number }>(
    `select tx_hash, created_at_ms from hosted_orders where agent_id = $1 and status in ('signed', 'relayed')`,
    [agentId],
  )
  const trades = await tradesByHash(
    sql,
    orders.flatMap(({ tx_hash }) => tx_hash ?? []),
  )
  const unlanded = orders.filter(({ tx_hash }) => {
    const trade = tx_hash === null ? undefined : trades.get(tx_hash)
    return trade === undefined || isUnderWay(trade)
  })
  return unlanded.reduce<number | null>((last, { created_at_ms }) => Math.max(last ?? 0, created_at_ms), null)
}
