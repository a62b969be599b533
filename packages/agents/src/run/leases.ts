import type { Sql } from '@pit/platform/db'
import { BRAINS, type Brain, HOSTED } from '@pit/protocol'
import { AGENT_COLUMNS, type AgentRow, agentOfRow } from '../agentRow.ts'
import type { QueueName } from './queue.ts'
import type { ClaimedAgent } from './types.ts'

/** A tick queued for longer without starting belonged to a dead worker. */
export const QUEUED_MS = 8_000
/** Heartbeat interval and lease of a worker. */
export const RENEW_MS = 1_500
export const LEASE_MS = 5_000

const WAITING_BRAINS: readonly Brain[] = ['webhook', 'partner_llm']
const QUICK_BRAINS = BRAINS.filter((brain) => !WAITING_BRAINS.includes(brain))

/** Concurrent slow and live ticks of one wallet: a slow response delays only its owner's agents. */
export const SLOW_PER_WALLET = 4
/** Number of due agents among which wallets take turns; a wallet has at most twenty agents. */
const RANKED = 1_000

/** The queue of an agent's ticks; $5 are the brains without external calls. */
const QUEUE = `(case when a.mode = 'live' then 'live' when a.brain = any($5) then 'quick' else 'slow' end)`
const IS_ACTIVE = `a.status = 'active' and a.deleted_at_s is null`
/** Due and without a lease. */
const IS_DUE = `${IS_ACTIVE} and a.next_tick_ms <= $1 and a.lease_until_ms is null`
/** Its lease has ended; also one of ours that was renewed late. */
const IS_LOST = `${IS_ACTIVE} and a.lease_until_ms <= $1`

export interface DueAgent {
  id: string
  dueMs: number
  queue: QueueName
}

export interface LeaseRequest {
  nowMs: number
  token: string
  limit: number
  /** Queues with free capacity. */
  queues: readonly QueueName[]
  /** Leases of ticks running in this process: a late renewal must not make it take over its own ticks. */
  running: readonly string[]
}

/** When a look at the queues could next lease an agent; infinite if none is active. */
export async function nextDueMs(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ due_ms: number | null }>(
    `select least(
       (select a.next_tick_ms from hosted_agents a
        where ${IS_ACTIVE} and a.lease_until_ms is null order by a.next_tick_ms limit 1),
       (select a.lease_until_ms from hosted_agents a
        where ${IS_ACTIVE} and a.lease_until_ms is not null order by a.lease_until_ms limit 1)) as due_ms`,
  )
  return row!.due_ms ?? Number.POSITIVE_INFINITY
}

/**
 * Leases due agents and those whose tick was lost, and moves their next tick on by whole intervals; missed
 * ticks are skipped. An agent's first tick comes immediately, later ones at its own phase: at least half an
 * interval later, or a whole one for agents with a minimum interval. A `lost` agent keeps its tick number:
 * the tick was never decided or only has to be finished. Wallets take turns: the first due agent of each
 * wallet comes before the second of any, counting running ticks.
 */
export async function takeDue(sql: Sql, request: LeaseRequest): Promise<DueAgent[]> {
  const rows = await sql.query<{ id: string; due_ms: number; queue: QueueName }>(
    `with running as materialized (
       select a.wallet, ${QUEUE} as queue from hosted_agents a
       where a.lease_until_ms > $1 and a.deleted_at_s is null
     ), busy as materialized (
       select wallet || queue as lane from running where queue <> 'quick' group by 1 having count(*) >= $8
     ), waiting as materialized (
       select a.id, a.wallet, a.next_tick_ms, ${QUEUE} as queue from hosted_agents a
       where ${IS_DUE} and ${QUEUE} = any($6) and a.wallet || ${QUEUE} <> all (array(select lane from busy))
       order by a.next_tick_ms limit $10
     ), ranked as materialized (
       -- Ranked with what runs, not joined to it: the planner joins the two by trying every pair.
       select id, queue, next_tick_ms,
         row_number() over (partition by wallet, queue order by id is not null, next_tick_ms, id) as nth
       from (select id, wallet, queue, next_tick_ms from waiting
         union all select null, wallet, queue, null from running) as either
     ), due as (
       -- One by one in this order, each by its id, until there are enough: a join would be planned by how many
       -- are due on other days, and after an outage would try every pair.
       select a.id, a.next_tick_ms as due_ms,
         hosted_next_tick(a.id, a.interval_s, a.next_tick_ms - 1) = a.next_tick_ms as in_phase
       from (
         select id from ranked where id is not null and (queue = 'quick' or nth <= $8)
         order by nth, next_tick_ms
       ) r, lateral (
         select * from hosted_agents where id = r.id offset 0 for update skip locked
       ) a where ${IS_DUE} limit $4
     ), lost as (
       select id, lease_until_ms as due_ms, true as in_phase from hosted_agents a
       where ${IS_LOST} and ${QUEUE} = any($6)
         and lease_by <> all($7)
       order by lease_until_ms limit $4 for update skip locked
     ), taken as (
       select * from due union all select * from lost
     )
     update hosted_agents a set lease_by = $2, lease_until_ms = $1::int8 + $3::int8,
       next_tick_ms = case
         when a.next_tick_ms > $1 then a.next_tick_ms
         else hosted_next_tick(a.id, a.interval_s,
           $1::int8 + case when taken.in_phase then 0
             when a.interval_s < $9 then a.interval_s * 500::int8 else a.interval_s * 1000::int8 - 1 end)
       end
     from taken where a.id = taken.id
     returning a.id, taken.due_ms, ${QUEUE} as queue`,
    [
      request.nowMs,
      request.token,
      QUEUED_MS,
      request.limit,
      QUICK_BRAINS,
      request.queues,
      request.running,
      SLOW_PER_WALLET,
      Math.min(HOSTED.aiMinIntervalS, HOSTED.practiceMinIntervalS),
      RANKED,
    ],
  )
  return rows.map(({ id, due_ms, queue }) => ({ id, dueMs: due_ms, queue }))
}

/**
 * Converts queued leases into this worker's own and reads the agents; agents leased elsewhere are skipped.
 */
export async function claimAgents(
  sql: Sql,
  request: { nowMs: number; token: string; claim: string; due: ReadonlyMap<string, number> },
): Promise<ClaimedAgent[]> {
  const rows = await sql.query<AgentRow & { errors_in_a_row: number }>(
    `update hosted_agents set lease_by = $1, lease_until_ms = $2
     where id = any($3) and lease_by = $4
     returning ${AGENT_COLUMNS}, coalesce((last_decision->>'errors_in_a_row')::int4, 0) as errors_in_a_row`,
    [request.claim, request.nowMs + LEASE_MS, [...request.due.keys()], request.token],
  )
  return rows.map((row) => ({
    ...agentOfRow(row),
    claim: request.claim,
    dueMs: request.due.get(row.id) ?? request.nowMs,
    errorsInARow: row.errors_in_a_row,
  }))
}

export async function renewLeases(sql: Sql, claims: readonly string[], nowMs: number): Promise<void> {
  await sql.query('update hosted_agents set lease_until_ms = $2 where lease_by = any($1)', [
    claims,
    nowMs + LEASE_MS,
  ])
}

/** Ends ticks. A long tick skips the intervals it missed; a time the owner set meanwhile is kept. */
export async function releaseAgents(
  sql: Sql,
  claim: string,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  await sql.query(
    `update hosted_agents set lease_by = null, lease_until_ms = null,
       next_tick_ms = case
         when next_tick_ms <= $3 and hosted_next_tick(id, interval_s, next_tick_ms - 1) = next_tick_ms
           then hosted_next_tick(id, interval_s, $3)
         else next_tick_ms
       end
     where id = any($2) and lease_by = $1`,
    [claim, ids, nowMs],
  )
}
