import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { DAY_MS } from '@pit/protocol'
import { deleteSignedRefused } from './receipts/rows.ts'

const KEEP_S = 3_600
/** Rows per statement; small steps keep locks short. */
const AT_ONCE = 500
const MAX_STEPS = 40

/** A plan goes with its transactions; what remains in plan_txs belongs to no plan. */
const SWEPT = [
  `with gone as (
     delete from plans where id = any (array(
       select id from plans where deadline_s < $1 order by deadline_s limit ${AT_ONCE})) returning id),
   gone_txs as (delete from plan_txs using gone where plan_id = gone.id)
   select 1 from gone`,
  `delete from plan_txs where ctid = any (array(
     select ctid from plan_txs where expires_at_s < $1 order by expires_at_s limit ${AT_ONCE})) returning 1`,
]

/** The same as for calls refused before signing. */
const REFUSED_KEEP_MS = 30 * DAY_MS

/** Deletes rows that were signed, refused and settled a month ago, one step per call; returns the count. */
export async function sweepRefused({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  return deleteSignedRefused(db, clock.nowMs() - REFUSED_KEEP_MS, AT_ONCE)
}

/** Deletes plans an hour after they expired; returns how many rows. Leftovers wait for the next call. */
export async function sweepPlans({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  let swept = 0
  for (const statement of SWEPT) {
    for (let step = 0; step < MAX_STEPS; step++) {
      const rows = await db.query(statement, [nowS(clock) - KEEP_S])
      swept += rows.length
      if (rows.length < AT_ONCE) break
    }
  }
  return swept
}
