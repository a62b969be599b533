import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { type Answer, fail } from '@pit/protocol'

/** The caller's id for one order, and the hash of the request. */
export interface NamedRequest {
  clientId: string
  hash: string
}

/** The stored response to this client_id; null for the first request. Refuses a different request. */
export async function findAnswer(
  sql: Sql,
  wallet: Address,
  { clientId, hash }: NamedRequest,
): Promise<Answer<'paper.order'> | null> {
  const [row] = await sql.query<{ request_hash: string; answer: Answer<'paper.order'> }>(
    'select request_hash, answer from league_paper_requests where wallet = $1 and client_id = $2',
    [wallet, clientId],
  )
  if (row && row.request_hash !== hash) {
    fail('BAD_REQUEST', {
      field: 'client_id',
      message: '`client_id` named another order before: use a new one for each order you intend.',
    })
  }
  return row?.answer ?? null
}

/** Call it in the fill's transaction. False if a concurrent call was first. */
export async function storeAnswer(
  sql: Sql,
  wallet: Address,
  { clientId, hash }: NamedRequest,
  answer: Answer<'paper.order'>,
): Promise<boolean> {
  const rows = await sql.query(
    `insert into league_paper_requests (wallet, client_id, request_hash, answer, at_s)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
    [wallet, clientId, hash, JSON.stringify(answer), answer.time],
  )
  return rows.length > 0
}

/** Longer than any season: a retry that comes later would be refused anyway. */
const KEEP_S = 60 * 86_400

export async function sweepRequests(sql: Sql, nowS: number): Promise<void> {
  await sql.query('delete from league_paper_requests where at_s < $1', [nowS - KEEP_S])
}
