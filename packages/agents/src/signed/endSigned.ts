import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { OrderState } from '@pit/protocol'
import { writeLogs } from '../logs.ts'
import { orderLog } from './orderLogs.ts'
import { endOrders, sweepLists } from './store.ts'
import { sweepWanted } from './wanted.ts'

interface End {
  state: OrderState
  why: string | null
}
export const SESSION_ENDED: End = { state: 'unfillable', why: 'The session ended.' }
export const DETACHED: End = { state: 'unfillable', why: 'The session was detached.' }
export const STOPPED: End = { state: 'cancelled', why: 'The agent was stopped.' }
export const OTHER_PAIRS: End = { state: 'cancelled', why: 'The agent has other pairs.' }
export const OTHER_BRAIN: End = { state: 'cancelled', why: 'The agent has another brain.' }

/** Ends an agent's open orders with a log row each; `sessionIdNot` spares those of one session. */
export async function endSigned(
  sql: Sql,
  agentId: string,
  end: End,
  atMs: number,
  which: { ids?: readonly Hex[]; sessionIdNot?: string } = {},
): Promise<Hex[]> {
  const ids = await endOrders(sql, { agentId, ...which }, { ...end, atMs })
  await writeLogs(sql, ...ids.map((id) => orderLog({ agentId, atMs }, { id, ...end })))
  return ids
}

const LATE_S = 120
const AT_ONCE = 500

/** Ends expired orders of agents that do not tick, and deletes what is old. */
export async function sweepSigned(sql: Sql, nowMs: number): Promise<void> {
  const nowS = Math.floor(nowMs / 1_000)
  const rows = await sql.query<{ agent_id: string; id: Hex }>(
    `update signed_orders set state = 'expired', ended = true, since_ms = $2
     where (agent_id, id) in (
       select agent_id, id from signed_orders where not ended and expires_at_s < $1 and state <> 'sent'
       order by expires_at_s limit $3)
     returning agent_id, id`,
    [nowS - LATE_S, nowMs, AT_ONCE],
  )
  const end = { state: 'expired', why: null } as const
  await writeLogs(
    sql,
    ...rows.map(({ agent_id, id }) => orderLog({ agentId: agent_id, atMs: nowMs }, { id, ...end })),
  )
  await sweepLists(sql, nowMs, AT_ONCE)
  await sweepWanted(sql, nowS)
}
