import type { Sql } from '@pit/platform/db'
import { type PayoutRow, payoutsOf } from '../reserve/store.ts'

/** What is planned and was not paid yet, the oldest season first; with what is wrong with it. */
export async function openPayouts(sql: Sql): Promise<PayoutRow[]> {
  const seasons = await sql.query<{ season: number }>(
    `select distinct season from league_payouts where status = 'planned' order by season limit 100`,
  )
  const rows = await payoutsOf(
    sql,
    seasons.map(({ season }) => season),
  )
  return rows
    .filter(({ status }) => status === 'planned')
    .sort((a, b) => a.season - b.season || a.place - b.place)
}
