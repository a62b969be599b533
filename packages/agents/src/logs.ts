import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Answer, fail, LOG_KINDS } from '@pit/protocol'
import type { HostedDeps } from './deps.ts'
import { findOwned } from './findOwned.ts'
import type { LogEntry } from './types.ts'

type Logs = Answer<'hosted.logs'>

export async function writeLog(sql: Sql, entry: LogEntry): Promise<void> {
  const { agentId, tick, atMs, kind, code, message, fee, data } = entry
  await sql.query(
    `insert into hosted_logs (agent_id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      agentId,
      tick,
      atMs,
      kind,
      code ?? null,
      message,
      fee?.bps ?? null,
      fee?.class ?? null,
      fee?.tier ?? null,
      data === undefined ? null : JSON.stringify(data),
    ],
  )
}

interface LogRow {
  id: number
  tick: number | null
  at_ms: number
  kind: string
  code: string | null
  message: string | null
  fee_bps: number | null
  fee_class: string | null
  fee_tier: number | null
  data: unknown
}

/** As text: no number holds it. */
const LARGEST_ID = '9223372036854775807'

/** hosted/<id>/logs: newest first, of all kinds or of those asked for. */
export async function listLogs(
  deps: HostedDeps,
  { params, query, caller }: Call<'hosted.logs'>,
): Promise<Logs> {
  const kinds = kindsOf(query.kinds)
  const { id } = await findOwned(deps, caller, params.id)
  const rows = await deps.db.query<LogRow>(
    `select id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data from hosted_logs
     where agent_id = $1 and id < $2::int8 and kind = any($3::text[])
     order by id desc limit $4`,
    [id, query.before ?? LARGEST_ID, kinds, query.limit + 1],
  )
  const page = rows.slice(0, query.limit)
  return {
    id,
    rows: page.map(rowJson),
    next_before: rows.length > page.length ? page[page.length - 1]!.id : null,
  }
}

function kindsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return LOG_KINDS
  const kinds = [...new Set(text.split(','))]
  const unknown = kinds.find((kind) => !(LOG_KINDS as readonly string[]).includes(kind))
  if (unknown !== undefined) {
    fail('BAD_REQUEST', { field: 'kinds', message: `\`kinds\` are some of ${LOG_KINDS.join(', ')}.` })
  }
  return kinds
}

function rowJson(row: LogRow): Logs['rows'][number] {
  return {
    id: row.id,
    ts: Math.floor(row.at_ms / 1_000),
    kind: row.kind,
    code: row.code,
    message: row.message,
    ...(row.tick !== null && { tick: row.tick }),
    ...(row.fee_bps !== null && {
      fee_bps: row.fee_bps,
      fee_class: row.fee_class!,
      fee_tier: row.fee_tier!,
    }),
    ...(row.data !== null && { data: row.data }),
  }
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
