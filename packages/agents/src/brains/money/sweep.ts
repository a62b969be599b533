import type { Sql } from '@pit/platform/db'
import { DAY_S, dayOf } from './rules.ts'

const KEEP_DAYS = 90
const AT_ONCE = 5_000

/** Deletes some of what is older than a season's worth of days; what a day's pool paid in all is kept for good. */
export async function sweepSpend(sql: Sql, atS: number): Promise<void> {
  const beforeS = dayOf(atS) - KEEP_DAYS * DAY_S
  await sql.query(
    'delete from ai_spend where id = any (array(select id from ai_spend where day_s < $1 limit $2))',
    [beforeS, AT_ONCE],
  )
  await sql.query('delete from ai_pool_agents where day_s < $1', [beforeS])
}
