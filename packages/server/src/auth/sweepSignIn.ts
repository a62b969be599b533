import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'

/** Longer than any clock of another process may differ. */
const KEEP_CHALLENGES_S = 600
const KEEP_COUNTS_S = 2 * 86_400
/** Small steps, so that sign-ins are not kept waiting. */
const AT_ONCE = 2_000

const SWEPT = [
  { table: 'challenges', id: 'id', agedBy: 'expires_at_s', keepS: KEEP_CHALLENGES_S },
  { table: 'issue_counts', id: 'ctid', agedBy: 'window_start_s', keepS: KEEP_COUNTS_S },
] as const

/** Deletes what no sign-in can need any more; answers how many rows. A job calls it every few minutes. */
export async function sweepSignIn({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  let swept = 0
  for (const { table, id, agedBy, keepS } of SWEPT) {
    for (let deleted = AT_ONCE; deleted === AT_ONCE; swept += deleted) {
      const rows = await db.query(
        `delete from ${table} where ${id} = any (array(
           select ${id} from ${table} where ${agedBy} < $1 order by ${agedBy} limit ${AT_ONCE})) returning 1`,
        [nowS(clock) - keepS],
      )
      deleted = rows.length
    }
  }
  return swept
}
