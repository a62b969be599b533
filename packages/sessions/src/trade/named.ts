import type { Sql } from '@pit/platform/db'
import { type Answer, COSIGNER, fail } from '@pit/protocol'
import type { Planned, TradeQuote } from '@pit/trading'
import type { SessionCall } from './readCall.ts'
import type { Check } from './rules.ts'

/**
 * Trades that their callers named. The name is counted with the trade and keeps its plan, so that whoever
 * asks again asks the co-signer for the very same leaf, in whatever process, until it was answered; from then
 * on the answer is the same.
 */

/** How a caller names one intended trade, and what it asked for. */
export interface Name {
  clientId: string
  requestHash: string
}

/** A planned trade before it is co-signed. */
export interface Draft {
  planned: Planned
  call: SessionCall
  checks: readonly Check[]
}

/** JSON has no integers of any size: each is an object of its own, which no token's text can be taken for. */
type Written = { $integer: string }

/** Without the routes that were not chosen: nobody asks for them again, and they are most of a plan. */
export function writeDraft({ planned, ...draft }: Draft): string {
  const { plan, request } = planned
  const chosen = (quote: TradeQuote): TradeQuote => ({ ...quote, routes: [], failed: [] })
  const kept = {
    ...planned,
    plan: { ...plan, quote: chosen(plan.quote) },
    request: { ...request, quote: chosen(request.quote) },
  }
  return JSON.stringify({ ...draft, planned: kept }, (_, value: unknown) =>
    typeof value === 'bigint' ? ({ $integer: value.toString() } satisfies Written) : value,
  )
}

export const readDraft = (text: string): Draft =>
  JSON.parse(text, function (this: Record<string, unknown>, key, value: unknown) {
    // Drafts stored by version 0.1 name the request `ask`.
    if (key === 'ask') {
      this['request'] = value
      return undefined
    }
    return typeof value === 'object' && value !== null && '$integer' in value
      ? BigInt((value as Written).$integer)
      : value
  })

export interface NamedTrade {
  id: number
  requestHash: string
  /** Of the key it was first asked with: what is answered can be relayed for that key. */
  keyId: number
  draft: string | null
  answer: string | null
}

export async function findNamed(
  sql: Sql,
  sessionId: string,
  { clientId, requestHash }: Name,
): Promise<NamedTrade | null> {
  const [row] = await sql.query<NamedTrade>(
    `select id, request_hash as "requestHash", key_id as "keyId", draft, answer from session_trades
     where session_id = $1 and client_id = $2`,
    [sessionId, clientId],
  )
  if (!row) return null
  if (row.requestHash !== requestHash) {
    const message = '`client_id` named another trade of this session: a new trade takes a new one.'
    fail('BAD_REQUEST', { field: 'client_id', message })
  }
  return row
}

/** Before the co-signer is asked for it again. False when it is gone: the first call was refused. */
export async function share(sql: Sql, id: number, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    `update session_trades set shared = true,
       created_at_ms = case when status = 'asked' then $2 else created_at_ms end
     where id = $1 returning id`,
    [id, nowMs],
  )
  return rows.length === 1
}

/** After this no call that asked the co-signer before can still be heard there. */
const HEARD_FOR_MS = (COSIGNER.callWindowS + 10) * 1_000

/** The co-signer knows no leaf of this name and signs none. True when the name is free again. */
export async function forget(sql: Sql, id: number, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    `delete from session_trades where id = $1 and status = 'asked' and asked_at_ms < $2 returning id`,
    [id, nowMs - HEARD_FOR_MS],
  )
  return rows.length === 1
}

/** The first answer stays. Answers the one that is kept. */
export async function keepAnswer(
  sql: Sql,
  sessionId: string,
  { clientId }: Name,
  answer: Answer<'live.session.trade'>,
): Promise<Answer<'live.session.trade'>> {
  const values = [sessionId, clientId]
  await sql.query(
    `update session_trades set answer = $3 where session_id = $1 and client_id = $2 and answer is null`,
    [...values, JSON.stringify(answer)],
  )
  const [row] = await sql.query<{ answer: string | null }>(
    'select answer from session_trades where session_id = $1 and client_id = $2',
    values,
  )
  return row?.answer ? JSON.parse(row.answer) : answer
}

/** Plans and answers from before then; that they were counted, and under which name, stays. */
export async function dropAnswers(sql: Sql, beforeMs: number, max: number): Promise<void> {
  await sql.query(
    `update session_trades set draft = null, answer = null where id in (
       select id from session_trades where draft is not null and created_at_ms < $1 limit $2)`,
    [beforeMs, max],
  )
}
