import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { FeeClass } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { storableJson, storableText } from './storable.ts'
import { findOwned } from './store.ts'
import type { LogEntry } from './types.ts'

/** All in one statement. */
export async function writeLogs(sql: Sql, ...entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return
  await sql.query(
    `insert into hosted_logs (agent_id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data)
     select * from unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::int4[],
       $8::text[], $9::int4[], $10::jsonb[])`,
    [
      entries.map(({ agentId }) => agentId),
      entries.map(({ tick }) => tick),
      entries.map(({ atMs }) => atMs),
      entries.map(({ kind }) => kind),
      entries.map(({ code }) => code ?? null),
      entries.map(({ message }) => storableText(message)),
      entries.map(({ fee }) => fee?.bps ?? null),
      entries.map(({ fee }) => fee?.class ?? null),
      entries.map(({ fee }) => fee?.tier ?? null),
      entries.map(({ data }) => (data === undefined ? null : storableJson(data))),
    ],
  )
}

export interface LogRow {
  id: number
  tick: number | null
  at_ms: number
  kind: LogEntry['kind']
  code: string | null
  message: string | null
  fee_bps: number | null
  fee_class: FeeClass | null
  fee_tier: number | null
  data: unknown
}

/** As text: no number holds it. */
export const LARGEST_ID = '9223372036854775807'

export interface LogsRequest extends AgentRequest {
  kinds: readonly string[]
  /** Older than this row. */
  before?: number | undefined
  limit: number
}

/**
 * Kinds that are few among an agent's thousands of decisions and trades: an index of their own finds them.
 */
const SELDOM = ['session', 'watch', 'error', 'state']
const AMONG_SELDOM = `kind in (${SELDOM.map((kind) => `'${kind}'`).join(', ')})`

/** One page of some kinds. */
export const logsPage = (kinds: readonly string[]): string =>
  `select id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data from hosted_logs
   where agent_id = $1 and id < $2::int8 and kind = any($3::text[])
     ${kinds.every((kind) => SELDOM.includes(kind)) ? `and ${AMONG_SELDOM}` : ''}
   order by id desc limit $4`

/** Newest first. */
export async function listLogs(
  { db }: HostedDeps,
  request: LogsRequest,
): Promise<{ rows: LogRow[]; nextBefore: number | null }> {
  const { id } = await findOwned(db, request)
  const rows = await db.query<LogRow>(logsPage(request.kinds), [
    id,
    request.before ?? LARGEST_ID,
    request.kinds,
    request.limit + 1,
  ])
  const page = rows.slice(0, request.limit)
  return { rows: page, nextBefore: rows.length > page.length ? page[page.length - 1]!.id : null }
}

const KEPT_FOR_S = 30 * 86_400
const AT_ONCE = 10_000

/** Deletes what is older than a month, a bounded number at a time. */
export async function sweepLogs({ db, clock }: Pick<HostedDeps, 'db' | 'clock'>): Promise<number> {
  const rows = await db.query(
    `delete from hosted_logs where id in (
       select id from hosted_logs where at_ms < $1 order by at_ms limit $2) returning id`,
    [(nowS(clock) - KEPT_FOR_S) * 1_000, AT_ONCE],
  )
  return rows.length
}

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
