import type { Sql } from '@pit/platform/db'
import { type Answer, COSIGNER, fail } from '@pit/protocol'
import type { OrderUse } from '@pit/signer-wire'
import type { Planned, TradeQuote } from '@pit/trading'
import type { SessionCall } from './readCall.ts'
import type { Check } from './rules.ts'

/**
 * Trades with a client_id. It is stored with the count and the plan, so that a retry in any process requests
 * the same leaf until it is answered, and returns the same response from then on.
 */

/** The client_id of an intended trade, and its request. */
export interface ClientRequest {
  clientId: string
  requestHash: string
}

/** A planned trade before it is co-signed. */
export interface Draft {
  planned: Planned
  call: SessionCall
  checks: readonly Check[]
  order?: OrderUse
}

/** JSON has no big integers: each is written as an object, which no token text can imitate. */
type Written = { $integer: string }

/** Drops the routes that were not chosen: they are never read again and make up most of a plan. */
export function writeDraft({ planned, ...draft }: Draft): string {
  const { plan, request } = planned
  const chosen = (quote: TradeQuote): TradeQuote => ({ ...quote, routes: [], failed: [] })
  const slim = {
    ...planned,
    plan: { ...plan, quote: chosen(plan.quote) },
    request: { ...request, quote: chosen(request.quote) },
  }
  return JSON.stringify({ ...draft, planned: slim }, (_, value: unknown) =>
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

export interface StoredTrade {
  id: number
  requestHash: string
  /** Key of the first request; the returned plan can be relayed with that key. */
  keyId: number
  draft: string | null
  answer: string | null
}

export async function findByClientId(
  sql: Sql,
  sessionId: string,
  { clientId, requestHash }: ClientRequest,
): Promise<StoredTrade | null> {
  const [row] = await sql.query<StoredTrade>(
    `select id, request_hash as "requestHash", key_id as "keyId", draft, answer from session_trades
     where session_id = $1 and client_id = $2`,
    [sessionId, clientId],
  )
  if (!row) return null
  if (row.requestHash !== requestHash) {
    const message =
      '`client_id` was already used for another trade of this session. Use a new one for each trade.'
    fail('BAD_REQUEST', { field: 'client_id', message })
  }
  return row
}

/** Called before the leaf is requested again. False if the row is gone: the first request was refused. */
export async function markShared(sql: Sql, id: number, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    `update session_trades set shared = true,
       created_at_ms = case when status = 'asked' then $2 else created_at_ms end
     where id = $1 returning id`,
    [id, nowMs],
  )
  return rows.length === 1
}

/** After this, no earlier request can still reach the co-signer. */
const REQUEST_VALID_MS = (COSIGNER.callWindowS + 10) * 1_000

/** The co-signer knows no leaf with this client_id and signs none. True if the client_id is free again. */
export async function freeClientId(sql: Sql, id: number, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    `delete from session_trades where id = $1 and status = 'asked' and asked_at_ms < $2 returning id`,
    [id, nowMs - REQUEST_VALID_MS],
  )
  return rows.length === 1
}

/** Stores the response unless one exists; returns the stored one. */
export async function storeAnswer(
  sql: Sql,
  sessionId: string,
  { clientId }: ClientRequest,
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

/** Deletes old plans and responses; counts and client_ids stay. */
export async function dropAnswers(sql: Sql, beforeMs: number, max: number): Promise<void> {
  await sql.query(
    `update session_trades set draft = null, answer = null where id in (
       select id from session_trades where draft is not null and created_at_ms < $1 limit $2)`,
    [beforeMs, max],
  )
}
