import type { OrderVerdict } from '@pit/orders'
import type { Sql } from '@pit/platform/db'
import { writeLogs } from '../logs.ts'
import { orderLog } from './orderLogs.ts'
import type { StoredList, StoredOrder } from './store.ts'

/** Changes of an agent's signed orders by one decision. */
export interface SignedChanges {
  verdicts: readonly OrderVerdict[]
  /** The agent ticks again at this time at the latest; null: as usual. */
  dueMs: number | null
}

/** Verdicts that differ from what is stored. */
export function changedVerdicts(
  lists: readonly StoredList[],
  verdicts: readonly OrderVerdict[],
): OrderVerdict[] {
  const before = new Map(lists.flatMap(({ orders }) => orders.map((one) => [one.id, one] as const)))
  return verdicts.filter((verdict) => isChanged(before.get(verdict.id)!, verdict))
}

const isChanged = (before: StoredOrder, after: OrderVerdict): boolean =>
  before.state !== after.state ||
  before.why !== after.why ||
  before.watchedFromS !== after.watchedFromS ||
  before.metRounds?.join() !== after.metRounds?.join() ||
  before.peak?.round !== after.peak?.round

/**
 * Stores new states with a log row each; an order that ended meanwhile stays as it is, and a round that met a
 * trigger meanwhile is kept.
 */
export async function applyVerdicts(
  sql: Sql,
  { agentId, tick, atMs }: { agentId: string; tick: number | null; atMs: number },
  { verdicts, dueMs }: SignedChanges,
): Promise<void> {
  if (verdicts.length > 0) {
    const rows = await sql.query<{ id: OrderVerdict['id']; is_new: boolean }>(
      `with given as (
         select * from jsonb_to_recordset($2::jsonb) as g (id text, state text, why text, ended boolean,
           watched_from_s int8, met_rounds jsonb, is_unmet boolean, peak_e18 numeric, peak_round text)
       ), before as (
         select o.id, o.state, o.why from signed_orders o join given g on g.id = o.id
         where o.agent_id = $1 and not o.ended for update of o
       )
       update signed_orders o set state = g.state, why = g.why, ended = g.ended,
         since_ms = case when o.state = g.state then o.since_ms else $3 end,
         watched_from_s = coalesce(o.watched_from_s, g.watched_from_s),
         met_rounds = case when g.is_unmet then null when o.met_rounds is not null then o.met_rounds
           when jsonb_typeof(g.met_rounds) = 'array'
             then array(select jsonb_array_elements_text(g.met_rounds)) end,
         peak_e18 = greatest(o.peak_e18, g.peak_e18),
         peak_round = case when g.peak_e18 > coalesce(o.peak_e18, 0) then g.peak_round else o.peak_round end,
         below_e18 = case when o.trigger_kind = 'trailing'
           then nullif(div(greatest(o.peak_e18, g.peak_e18) * (10000 - o.trail_bps), 10000), 0)
           else o.below_e18 end
       from given g, before b where o.agent_id = $1 and o.id = g.id and b.id = o.id
       returning o.id, b.state <> g.state or (g.state = 'waiting' and b.why is distinct from g.why) as is_new`,
      [agentId, JSON.stringify(verdicts.map(verdictRow)), atMs],
    )
    const isNew = new Set(rows.filter(({ is_new }) => is_new).map(({ id }) => id))
    const logged = verdicts.filter(({ id }) => isNew.has(id))
    await writeLogs(sql, ...logged.map((verdict) => orderLog({ agentId, tick, atMs }, verdict)))
  }
  if (dueMs !== null) await tickBy(sql, [agentId], dueMs)
}

const verdictRow = ({ id, state, why, ended, watchedFromS, metRounds, isUnmet, peak }: OrderVerdict) => ({
  id,
  state,
  why,
  ended,
  watched_from_s: watchedFromS,
  met_rounds: metRounds,
  is_unmet: isUnmet,
  peak_e18: peak?.priceE18.toString() ?? null,
  peak_round: peak?.round ?? null,
})

/** Lets active agents tick at this time at the latest; returns whether any of them changed. */
export async function tickBy(sql: Sql, agentIds: readonly string[], atMs: number): Promise<boolean> {
  const rows = await sql.query(
    `update hosted_agents set next_tick_ms = $2
     where id = any($1::text[]) and status = 'active' and deleted_at_s is null and next_tick_ms > $2 returning id`,
    [agentIds, atMs],
  )
  return rows.length > 0
}
