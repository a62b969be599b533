import type { Sql } from '@pit/platform/db'
import type { Answer } from '@pit/protocol'
import { DAY_S, usdOf } from '@pit/protocol'
import type { ModelAgent } from '../agent.ts'
import { dayOf } from './rules.ts'

export type SpendRow = Answer<'hosted.spend'>['rows'][number]

/** A row still reserved after this was never settled: its worker died. */
const RUNNING_MS = 120_000

interface StoredRow {
  id: number
  at_ms: number
  source: 'pool' | 'own'
  model: string | null
  status: 'reserved' | SpendRow['status']
  code: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  cost_micro_usd: number
  cost_source: SpendRow['cost_source']
  ms: number | null
}

/** Newest first, without running calls. */
export async function spendPage(
  sql: Sql,
  request: { agentId: string; before: number | undefined; limit: number; nowMs: number },
): Promise<SpendRow[]> {
  const rows = await sql.query<StoredRow>(
    `select id, at_ms, source, model, status, code, prompt_tokens, completion_tokens, cost_micro_usd,
       cost_source, ms
     from ai_spend where agent_id = $1 and id < $2::int8 and (status <> 'reserved' or at_ms < $4)
     order by id desc limit $3`,
    [request.agentId, request.before ?? Number.MAX_SAFE_INTEGER, request.limit, request.nowMs - RUNNING_MS],
  )
  return rows.map(spendRowOf)
}

const spendRowOf = (row: StoredRow): SpendRow => ({
  id: row.id,
  ts: Math.floor(row.at_ms / 1_000),
  source: row.source,
  model: row.model,
  status: row.status === 'reserved' ? 'error' : row.status,
  code: row.status === 'reserved' ? 'PARTNER_TIMEOUT' : row.code,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cost_usd: usdOf(BigInt(row.cost_micro_usd)),
  cost_source: row.cost_source,
  ms: row.ms,
})

export type Today = Answer<'hosted.spend'>['ai']['today']

/** An agent's spending today. Counts calls that reached, or may have reached, a model. */
export async function readToday(
  sql: Sql,
  { id, wallet }: Pick<ModelAgent, 'id' | 'wallet'>,
  nowMs: number,
): Promise<Today> {
  const rows = await sql.query<{
    source: string
    cost: string
    calls: number
    prompt: string
    completion: string
  }>(
    `select source, sum(cost_micro_usd) as cost, count(*) filter (where cost_source is not null) as calls,
       coalesce(sum(prompt_tokens), 0) as prompt, coalesce(sum(completion_tokens), 0) as completion
     from ai_spend
     where agent_id = $1 and day_s = $2 and wallet = $3
     group by source`,
    [id, dayOf(Math.floor(nowMs / 1_000)), wallet],
  )
  const sum = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + pick(row), 0)
  return {
    usd: usdOf(rows.reduce((total, row) => total + BigInt(row.cost), 0n)),
    calls: sum((row) => row.calls),
    by_source: Object.fromEntries(rows.map((row) => [row.source, usdOf(BigInt(row.cost))])),
    prompt_tokens: sum((row) => Number(row.prompt)),
    completion_tokens: sum((row) => Number(row.completion)),
  }
}

const KEEP_DAYS = 90
const AT_ONCE = 5_000

/**
 * Deletes spending older than 90 days, in batches; the pool's daily totals are kept. Networks of trials are
 * deleted when no day counts them any more.
 */
export async function sweepSpend(sql: Sql, atS: number): Promise<void> {
  const beforeS = dayOf(atS) - KEEP_DAYS * DAY_S
  await sql.query(
    'delete from ai_spend where id = any (array(select id from ai_spend where day_s < $1 limit $2))',
    [beforeS, AT_ONCE],
  )
  await sql.query('delete from ai_pool_agents where day_s < $1', [beforeS])
  await sql.query('update ai_trials set network = null where network is not null and started_at_s < $1', [
    dayOf(atS) - DAY_S,
  ])
}
