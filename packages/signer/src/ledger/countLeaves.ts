import type { Sql } from '@pit/platform/db'
import { SESSION } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { failuresOf } from '../checks.ts'
import { ledgerRules } from './rules.ts'
import type { LeafRequest, LeafVerdict, Standing } from './types.ts'

/**
 * A leaf counts from when it was signed but may be redeemed until it expires, so the window is a day plus a
 * leaf's lifetime.
 */
export const SPEND_WINDOW_MS = (SESSION.dayWindowS + SESSION.leafTtlS) * 1000

/** How a leaf found its root, and whether it was counted. */
export interface CountedRow {
  known: boolean
  frozen: boolean
  revoked: boolean
  hosted: boolean
  closed: boolean
  attested: boolean
  replayed: boolean
  named: boolean
  last_sequence: number
  day_micro_usd: number
  counted: boolean
}

/**
 * Judges leaves by the ledger and counts those that pass, committed when this resolves. One SQL statement
 * decides; the rules name what failed. A leaf is signed only if both pass it.
 */
export async function countLeaves(
  sql: Sql,
  requests: readonly LeafRequest[],
  atMs: number,
): Promise<LeafVerdict[]> {
  const hashes = [...new Set(requests.map(({ rootHash }) => rootHash))].sort()
  const places = new Map(hashes.map((hash, i) => [hash, i + 1]))
  const rows = await sql.query<CountedRow>(
    `select * from count_leaves($1::text[], $2::int4[], $3::int8[], $4::boolean[], $5::boolean[], $6::int4[],
       $7::int8[], $8::int4[], $9::text[], $10::text[], $11::text[], $12, $13)`,
    [
      hashes,
      requests.map(({ rootHash }) => places.get(rootHash)),
      requests.map(worthOf),
      requests.map(({ failures }) => failures.length === 0),
      requests.map(({ touchesStock }) => touchesStock),
      requests.map(({ limits }) => limits.max_trades),
      requests.map(({ limits }) => limits.max_day_micro_usd),
      requests.map(({ sequence }) => sequence ?? null),
      requests.map(({ executionHash }) => executionHash),
      requests.map(({ callNonce }) => callNonce),
      requests.map(({ clientId }) => clientId ?? null),
      atMs,
      SPEND_WINDOW_MS,
    ],
    { prepared: true },
  )
  return requests.map((request, i) => verdictOf(request, rows[i]!, atMs))
}

/**
 * A leaf that failed already is counted as zero: its value may not fit the store's number type, and an error
 * would fail the whole batch.
 */
export const worthOf = ({ microUsd, failures }: LeafRequest): string | null =>
  failures.length > 0 || microUsd === null ? null : microUsd.toString()

const UNKNOWN: SignerCheck = { rule: 'ROOT', ok: false, message: 'The root is not registered.' }
const REPLAYED: SignerCheck = { rule: 'REPLAY', ok: false, message: 'Duplicate request.' }
/** The caller looks that leaf up; it may be its own. */
export const NAMED: SignerCheck = {
  rule: 'CLIENT_ID',
  ok: false,
  message: 'A trade with this client_id was already co-signed: look it up, or use a new client_id.',
}

export function verdictOf(request: LeafRequest, row: CountedRow, atMs: number): LeafVerdict {
  const standing: Standing = {
    frozen: row.frozen,
    revoked: row.revoked,
    sequence: row.last_sequence,
    dayMicroUsd: BigInt(row.day_micro_usd),
    hosted: row.hosted ? { closed: row.closed, stockAttested: row.attested } : null,
  }
  const failures = row.known
    ? [...request.failures, ...failuresOf(ledgerRules, { request, standing })]
    : [UNKNOWN]
  if (row.replayed) failures.push(REPLAYED)
  if (row.named) failures.push(NAMED)
  if (request.microUsd === null || failures.length > 0) {
    if (row.counted) throw new Error('the store counted a leaf that the rules refuse: it is not signed')
    return { ok: false, failures, carrier: row.hosted ? 'hosted executor' : 'own executor' }
  }
  if (!row.counted) throw new Error('the store did not count a leaf that passes every rule')
  const { max_trades, max_day_micro_usd } = request.limits
  const sequence = row.last_sequence + 1
  const day = row.day_micro_usd + Number(request.microUsd)
  return {
    ok: true,
    sequence,
    atMs,
    spend: {
      trades: sequence,
      trades_left: max_trades - sequence,
      day_micro_usd: day,
      day_left_micro_usd: max_day_micro_usd - day,
      this_micro_usd: Number(request.microUsd),
    },
  }
}
