import type { Db, Sql } from '@pit/platform/db'
import { writeLogs } from '../logs.ts'
import { applyVerdicts, type SignedChanges } from '../signed/applyVerdicts.ts'
import { storableJson } from '../storable.ts'
import type { LastDecision, LastTrade, LogEntry } from '../types.ts'
import type { ClaimedAgent, SignedPart } from './types.ts'

/** Result of a tick, stored in one transaction: the decision, the brain's state and the orders. */
export interface TickRecord {
  agent: ClaimedAgent
  /** Number of this tick; the agent's last tick must be the one before. */
  tick: number
  /** Undefined: the brain's state is unchanged. */
  state: Record<string, unknown> | null | undefined
  lastDecision: LastDecision
  logs: LogEntry[]
  orders: NewOrder[]
  /** Changes of the agent's signed orders; stored only if the tick's orders stand. */
  signed?: SignedChanges
}
export interface NewOrder {
  n: number
  pair: string
  side: 'buy' | 'sell'
  microUsd: bigint
  signed: SignedPart | null
}

export interface Recorded {
  /** False if another worker took the tick over: nothing was stored, and nothing may be executed. */
  isStored: boolean
  /** False if the agent was changed, paused or stopped since it was read: no order was stored. */
  stands: boolean
  /** Order ids by their n. */
  orders: ReadonlyMap<number, number>
}

/** Maximum size of a brain's state. Responses of webhooks and models are bounded anyway. */
const MAX_STATE_CHARS = 100_000

interface KeptRow {
  id: string
  stands: boolean
}

/**
 * Stores decisions, all or nothing, before any order is executed. The tick number is the fence: a worker that
 * lost its lease finds the number used. Ticks without orders end here.
 */
export async function recordDecisions(
  db: Db,
  records: readonly TickRecord[],
  nowMs: number,
): Promise<Map<string, Recorded>> {
  if (records.length === 0) return new Map()
  return db.transaction(async (sql) => {
    const storedRows = new Map((await keepTicks(sql, records, nowMs)).map((row) => [row.id, row]))
    const mine = records.filter(({ agent }) => storedRows.has(agent.id))
    await writeLogs(sql, ...mine.flatMap(({ logs }) => logs))
    const standing = mine.filter(({ agent }) => storedRows.get(agent.id)!.stands)
    const orders = await insertOrders(sql, standing, nowMs)
    for (const { agent, tick, signed } of standing)
      if (signed) await applyVerdicts(sql, { agentId: agent.id, tick, atMs: nowMs }, signed)
    return new Map(
      records.map(({ agent: { id } }) => [
        id,
        {
          isStored: storedRows.has(id),
          stands: storedRows.get(id)?.stands ?? false,
          orders: orders.get(id) ?? new Map(),
        },
      ]),
    )
  })
}

/** The owner's changes win: for an agent changed meanwhile, only the tick and the decision are stored. */
function keepTicks(sql: Sql, records: readonly TickRecord[], nowMs: number): Promise<KeptRow[]> {
  return sql.query<KeptRow>(
    `with given as (
       select * from unnest($1::text[], $2::text[], $3::int8[], $4::int4[], $5::jsonb[], $6::boolean[],
         $7::jsonb[], $8::boolean[]) as g (id, claim, tick, revision, state, remembers, decision, ends)
     )
     update hosted_agents a set tick = g.tick, last_decision = g.decision,
       brain_state = case when g.remembers and a.revision = g.revision then g.state else a.brain_state end,
       lease_by = case when g.ends then null else a.lease_by end,
       lease_until_ms = case when g.ends then null else a.lease_until_ms end,
       next_tick_ms = case
         when g.ends and a.next_tick_ms <= $9
           and hosted_next_tick(a.id, a.interval_s, a.next_tick_ms - 1) = a.next_tick_ms
           then hosted_next_tick(a.id, a.interval_s, $9)
         else a.next_tick_ms
       end
     from given g where a.id = g.id and a.lease_by = g.claim and a.tick = g.tick - 1
     returning a.id, a.revision = g.revision and a.status = 'active' and a.deleted_at_s is null as stands`,
    [
      records.map(({ agent }) => agent.id),
      records.map(({ agent }) => agent.claim),
      records.map(({ tick }) => tick),
      records.map(({ agent }) => agent.revision),
      records.map(({ state }) => (state ? storableJson(state, MAX_STATE_CHARS) : null)),
      records.map(({ state }) => state !== undefined),
      records.map(({ lastDecision }) => storableJson(lastDecision)),
      records.map(({ orders }) => orders.length === 0),
      nowMs,
    ],
  )
}

async function insertOrders(
  sql: Sql,
  records: readonly TickRecord[],
  nowMs: number,
): Promise<Map<string, Map<number, number>>> {
  const ids = new Map<string, Map<number, number>>()
  const rows = records.flatMap(({ agent, tick, orders }) =>
    orders.map((order) => ({ agentId: agent.id, tick, ...order })),
  )
  if (rows.length === 0) return ids
  const inserted = await sql.query<{ id: number; agent_id: string; n: number }>(
    `insert into hosted_orders (agent_id, tick, n, pair, side, micro_usd, signed_order_id, part, amount_in, status,
       created_at_ms)
     select *, 'intended', $10 from unnest($1::text[], $2::int8[], $3::int4[], $4::text[], $5::text[], $6::int8[],
       $7::text[], $8::int4[], $9::numeric[])
     returning id, agent_id, n`,
    [
      rows.map(({ agentId }) => agentId),
      rows.map(({ tick }) => tick),
      rows.map(({ n }) => n),
      rows.map(({ pair }) => pair),
      rows.map(({ side }) => side),
      rows.map(({ microUsd }) => microUsd.toString()),
      rows.map(({ signed }) => signed?.id ?? null),
      rows.map(({ signed }) => signed?.part ?? null),
      rows.map(({ signed }) => signed?.amountIn.toString() ?? null),
      nowMs,
    ],
  )
  for (const { id, agent_id, n } of inserted) ids.set(agent_id, (ids.get(agent_id) ?? new Map()).set(n, id))
  return ids
}

/** The last trade, as shown to the owner. */
export async function keepLastTrade(sql: Sql, agentId: string, trade: LastTrade): Promise<void> {
  await sql.query('update hosted_agents set last_trade = $2 where id = $1', [agentId, storableJson(trade)])
}
