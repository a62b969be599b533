import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { FeeClass } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { storableJson, storableText } from './storable.ts'
import { findOwned } from './store.ts'
import type { LogEntry } from './types.ts'

/** Writes all entries in one statement. */
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

/** A string: too large for a number. */
export const LARGEST_ID = '9223372036854775807'

export interface LogsRequest extends AgentRequest {
  kinds: readonly string[]
  /** Only rows older than this id. */
  before?: number | undefined
  limit: number
}

/** Rare kinds among thousands of decisions and trades; a separate index covers them. */
const RARE_KINDS = ['session', 'watch', 'error', 'state']
const IS_RARE = `kind in (${RARE_KINDS.map((kind) => `'${kind}'`).join(', ')})`

/** SQL for one page of these kinds. */
export const logsPage = (kinds: readonly string[]): string =>
  `select id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data from hosted_logs
   where agent_id = $1 and id < $2::int8 and kind = any($3::text[])
     ${kinds.every((kind) => RARE_KINDS.includes(kind)) ? `and ${IS_RARE}` : ''}
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

/** Deletes rows older than a month, in batches. */
export async function sweepLogs({ db, clock }: Pick<HostedDeps, 'db' | 'clock'>): Promise<number> {
  const rows = await db.query(
    `delete from hosted_logs where id in (
       select id from hosted_logs where at_ms < $1 order by at_ms limit $2) returning id`,
    [(nowS(clock) - KEPT_FOR_S) * 1_000, AT_ONCE],
  )
  return rows.length
}

/** Decisions and holds kept per agent; trades, sessions and states are kept until the log expires. */
export const KEPT_ROWS = 1_000
/** Checked every this many ticks, which bounds the excess. */
const EVERY_TICKS = 100

/** Periodically deletes an agent's oldest decisions and holds. */
export async function thinLogs(sql: Sql, agentId: string, tick: number): Promise<void> {
  if (tick % EVERY_TICKS !== 0) return
  await sql.query(
    `delete from hosted_logs where agent_id = $1 and kind in ('decision', 'hold', 'error') and id < (
       select id from hosted_logs where agent_id = $1 order by id desc offset $2 limit 1)`,
    [agentId, KEPT_ROWS],
  )
}
