import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { DAY_MS } from '@pit/protocol'
import { deleteSignedRefused } from './receipts/rows.ts'

const KEEP_S = 3_600
/** Rows per statement; small steps keep locks short. */
const AT_ONCE = 500
const MAX_STEPS = 40

const SWEPT = [
  // Deleting a plan deletes its transactions; what remains in plan_txs belongs to no plan.
  { table: 'plans', id: 'id', agedBy: 'deadline_s' },
  { table: 'plan_txs', id: 'ctid', agedBy: 'expires_at_s' },
] as const

/** The same as for calls refused before signing. */
const REFUSED_KEEP_MS = 30 * DAY_MS

/** Deletes rows that were signed, refused and settled a month ago, one step per call; returns the count. */
export async function sweepRefused({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  return deleteSignedRefused(db, clock.nowMs() - REFUSED_KEEP_MS, AT_ONCE)
}

/** Deletes plans an hour after they expired; returns how many rows. Leftovers wait for the next call. */
export async function sweepPlans({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  let swept = 0
  for (const { table, id, agedBy } of SWEPT) {
    for (let step = 0; step < MAX_STEPS; step++) {
      const rows = await db.query(
        `delete from ${table} where ${id} = any (array(
           select ${id} from ${table} where ${agedBy} < $1 order by ${agedBy} limit ${AT_ONCE})) returning 1`,
        [nowS(clock) - KEEP_S],
      )
      swept += rows.length
      if (rows.length < AT_ONCE) break
    }
  }
  return swept
}
