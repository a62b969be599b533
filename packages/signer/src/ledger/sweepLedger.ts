import type { Db, Sql } from '@pit/platform/db'
import { SESSION } from '@pit/protocol'

/** After this time nothing signed can still be registered or redeemed. */
const KEEP_MS = (2 * SESSION.expiresInSMax + 86_400) * 1000
const AT_ONCE = 1_000
const FREEZES_KEPT = 1_000
/** A call's nonce is kept for longer than the call would be accepted again. */
const NONCE_MS = 600_000

/** Tables of a root's rows, each after those that refer to it. */
const OF_ROOTS = [
  ...['order_leaves', 'session_books', 'cancelled_orders', 'orders', 'order_lists', 'leaves'],
  'revocations',
]

/**
 * Deletes obsolete rows in batches: roots that ended long ago with their leaves and revocations, and old
 * freezes. Returns the number of roots. A revocation of a root that was never registered stays: the expiry of
 * such a root is unknown.
 */
export function sweepLedger(db: Db, nowMs: number): Promise<number> {
  return db.transaction(async (sql) => {
    const roots = await endedRoots(sql, nowMs)
    if (roots.length > 0) {
      for (const table of OF_ROOTS)
        await sql.query(`delete from ${table} where root_hash = any($1::text[])`, [roots])
      await sql.query('delete from roots where hash = any($1::text[])', [roots])
    }
    await sql.query(
      `delete from freezes where at_ms < $1 and call_nonce not in (
         select call_nonce from freezes order by at_ms desc limit $2)`,
      [nowMs - NONCE_MS, FREEZES_KEPT],
    )
    return roots.length
  })
}

/** Locked, so that no leaf of a root is counted while it is deleted. */
async function endedRoots(sql: Sql, nowMs: number): Promise<string[]> {
  const rows = await sql.query<{ hash: string }>(
    `select hash from roots where (binding ->> 'expires_at')::int8 < $1 order by hash limit $2 for update`,
    [Math.floor((nowMs - KEEP_MS) / 1000), AT_ONCE],
  )
  return rows.map(({ hash }) => hash)
}
