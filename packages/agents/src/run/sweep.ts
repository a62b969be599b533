import type { Db, Sql } from '@pit/platform/db'
import type { RunDeps } from './deps.ts'
import { oldOpenOrders, sweepOrders } from './orders.ts'
import { settleOrders } from './settle.ts'

/** Decisions and holds kept per agent; trades, sessions and states stay as long as the log keeps rows. */
export const KEPT_ROWS = 1_000
/** Looked at every so many ticks: a busy agent is never far over. */
const EVERY_TICKS = 100

/** Deletes an agent's oldest decisions and holds once in a while. */
export async function thinLogs(sql: Sql, agentId: string, tick: number): Promise<void> {
  if (tick % EVERY_TICKS !== 0) return
  await sql.query(
    `delete from hosted_logs where agent_id = $1 and kind in ('decision', 'hold', 'error') and id < (
       select id from hosted_logs where agent_id = $1 order by id desc offset $2 limit 1)`,
    [agentId, KEPT_ROWS],
  )
}

const OLD_MS = 10 * 60_000
const AT_ONCE = 500

/** Ends what agents that no longer tick left open, and deletes orders that ended long ago. */
export async function sweepRun(deps: Pick<RunDeps, 'rpc' | 'clock'> & { db: Db }): Promise<void> {
  const nowMs = deps.clock.nowMs()
  await settleOrders(deps, await oldOpenOrders(deps.db, nowMs - OLD_MS, AT_ONCE))
  await sweepOrders(deps.db, nowMs, 10 * AT_ONCE)
}
