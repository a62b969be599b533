import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { SPEND_WINDOW_MS } from './countLeaves.ts'
import type { Standing } from './types.ts'

/** A root's counters as `count_leaves` sees them; null if it is not registered. */
export async function readStanding(sql: Sql, rootHash: Hex, atMs: number): Promise<Standing | null> {
  const [row] = await sql.query<{
    sequence: number
    day: string
    frozen: boolean
    revoked: boolean
    hosted: boolean
    closed: boolean
    attested: boolean
  }>(
    `select r.sequence, e.address is not null as hosted, e.closed_at_ms is not null as closed,
       (select coalesce(sum(l.micro_usd), 0)::text from leaves l
        where l.root_hash = r.hash and l.signed_at_ms > $2) as day,
       (select frozen or not ledger_is_home() from state where id = 1) as frozen,
       exists (select from revocations where root_hash = r.hash) as revoked,
       exists (select from stock_attestations s where s.executor = e.address and s.root_hash = r.hash
         and s.signature is not null and s.revoked_at_ms is null and s.expires_s * 1000 > $3) as attested
     from roots r left join executors e on e.address = r.executor where r.hash = $1`,
    [rootHash, atMs - SPEND_WINDOW_MS, atMs],
  )
  if (!row) return null
  return {
    frozen: row.frozen,
    revoked: row.revoked,
    sequence: row.sequence,
    dayMicroUsd: BigInt(row.day),
    hosted: row.hosted ? { closed: row.closed, stockAttested: row.attested } : null,
  }
}
