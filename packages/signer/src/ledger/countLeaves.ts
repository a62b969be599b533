import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { SignerCheck } from '@pit/platform/signerCalls'
import { SESSION } from '@pit/protocol'
import { ledgerRules } from './rules.ts'
import type { LeafAsk, LeafVerdict } from './types.ts'

/** How a root stands while its row is locked. */
export interface Standing {
  frozen: boolean
  revoked: boolean
  /** Of the last leaf. */
  sequence: number
  dayMicroUsd: bigint
  /** Where its executor is one of this signer's own; null where it is anybody's. */
  hosted: { closed: boolean; stockAttested: boolean } | null
}

/** A leaf counts from when it was signed and may run until it ends: a day from then is a day and a leaf's life from now. */
export const DAY_MS = (SESSION.dayWindowS + SESSION.leafTtlS) * 1000

interface Counted {
  ask: LeafAsk
  sequence: number
}

/**
 * Judges leaves by the ledger and counts those that pass, all in one transaction. The roots' rows are locked first and
 * everything else is read after that, in a statement of its own: only then does it see what others committed before
 * they let go of the lock.
 */
export async function countLeaves(sql: Sql, asks: readonly LeafAsk[], atMs: number): Promise<LeafVerdict[]> {
  const { standings, usedNonces } = await lockRoots(sql, asks, atMs)
  const counted: Counted[] = []
  const verdicts = asks.map((ask): LeafVerdict => {
    const standing = standings.get(ask.rootHash)
    const failures = standing ? judge(ask, standing) : [UNKNOWN]
    if (usedNonces.has(ask.callNonce)) failures.push(REPLAYED)
    if (!standing || ask.microUsd === null || failures.length > 0) return { ok: false, failures }
    usedNonces.add(ask.callNonce)
    standing.sequence++
    standing.dayMicroUsd += ask.microUsd
    counted.push({ ask, sequence: standing.sequence })
    const { max_trades, max_day_micro_usd } = ask.limits
    const day = Number(standing.dayMicroUsd)
    return {
      ok: true,
      sequence: standing.sequence,
      atMs,
      spend: {
        trades: standing.sequence,
        trades_left: max_trades - standing.sequence,
        day_micro_usd: day,
        day_left_micro_usd: max_day_micro_usd - day,
        this_micro_usd: Number(ask.microUsd),
      },
    }
  })
  if (counted.length > 0) await writeLeaves(sql, counted, atMs)
  return verdicts
}

const UNKNOWN: SignerCheck = { rule: 'ROOT', ok: false, message: 'No such root is registered here.' }
const REPLAYED: SignerCheck = { rule: 'REPLAY', ok: false, message: 'This very call was answered before.' }

function judge(ask: LeafAsk, standing: Standing): SignerCheck[] {
  const failures = [...ask.failures]
  for (const { rule, check } of ledgerRules) {
    const failure = check(ask, standing)
    if (failure) failures.push({ rule, ok: false, ...failure })
  }
  return failures
}

interface Found {
  standings: Map<Hex, Standing>
  usedNonces: Set<string>
}

interface Read {
  hash: Hex
  revoked: boolean
  day: string
  used: string[]
  hosted: boolean
  closed: boolean
  attested: boolean
}

async function lockRoots(sql: Sql, asks: readonly LeafAsk[], atMs: number): Promise<Found> {
  const hashes = [...new Set(asks.map(({ rootHash }) => rootHash))]
  // Roots in one order, so that two that want the same ones never wait for each other. A freeze waits for what is under
  // way, and what comes after it sees it.
  const locked = await sql.query<{ hash: Hex; sequence: number; frozen: boolean }>(
    `select hash, sequence, frozen from roots cross join state where hash = any($1::text[])
     order by hash for update of roots for share of state`,
    [hashes],
  )
  // The same call is of the same root, whose row is locked: until the commit its nonce cannot be added.
  const read = await sql.query<Read>(
    `select hash, exists (select from revocations where root_hash = hash) as revoked,
       (select coalesce(sum(micro_usd), 0)::text from leaves where root_hash = hash and signed_at_ms > $2) as day,
       array(select call_nonce from leaves where call_nonce = any($3::text[])) as used,
       e.address is not null as hosted, e.closed_at_ms is not null as closed,
       exists (select from stock_attestations s where s.executor = e.address and s.root_hash = hash
         and s.signature is not null and s.revoked_at_ms is null and s.expires_s * 1000 > $4) as attested
     from roots left join executors e on e.address = executor where hash = any($1::text[])`,
    [hashes, atMs - DAY_MS, asks.map(({ callNonce }) => callNonce), atMs],
  )
  const more = new Map(read.map((row) => [row.hash, row]))
  const standings = new Map(
    locked.map(({ hash, sequence, frozen }) => {
      const { revoked, day, hosted, closed, attested } = more.get(hash)!
      const standing: Standing = {
        frozen,
        revoked,
        sequence,
        dayMicroUsd: BigInt(day),
        hosted: hosted ? { closed, stockAttested: attested } : null,
      }
      return [hash, standing]
    }),
  )
  return { standings, usedNonces: new Set(read[0]?.used) }
}

async function writeLeaves(sql: Sql, counted: readonly Counted[], atMs: number): Promise<void> {
  await sql.query(
    `with written as (
       insert into leaves (root_hash, sequence, micro_usd, signed_at_ms, execution_hash, call_nonce)
       select root_hash, sequence, micro_usd, $1, execution_hash, call_nonce
       from unnest($2::text[], $3::int4[], $4::int8[], $5::text[], $6::text[])
         as given (root_hash, sequence, micro_usd, execution_hash, call_nonce)
       returning root_hash, sequence
     )
     update roots set sequence = newest.sequence
     from (select root_hash, max(sequence) as sequence from written group by root_hash) as newest
     where hash = newest.root_hash`,
    [
      atMs,
      counted.map(({ ask }) => ask.rootHash),
      counted.map(({ sequence }) => sequence),
      counted.map(({ ask }) => ask.microUsd!.toString()),
      counted.map(({ ask }) => ask.executionHash),
      counted.map(({ ask }) => ask.callNonce),
    ],
  )
}
