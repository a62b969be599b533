import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { StartRefused } from '@pit/platform/settings'
import type { LeagueDeps } from './deps.ts'
import { mondayOf, readFirstSeason, seasonOf } from './rules/index.ts'

/**
 * Start of season 1, from the setting or the chain's profile. A devnet has no calendar: its first season
 * starts in the week in which its store was created. Null if no league is run.
 */
export async function readStart({
  db,
  clock,
  profile,
  setting,
}: Pick<LeagueDeps, 'db' | 'clock' | 'profile'> & { setting: string | null }): Promise<number | null> {
  const named = setting ?? profile.league.first_season
  if (named !== null) return unmoved(db, readFirstSeason(named))
  if (profile.kind !== 'devnet') return null
  await db.query('insert into league_start (first_season_s) values ($1) on conflict do nothing', [
    mondayOf(nowS(clock)),
  ])
  const [row] = await db.query<{ first_season_s: number }>('select first_season_s from league_start')
  return unmoved(db, row!.first_season_s)
}

/** Played seasons keep their numbers: another first Monday would renumber the weeks. */
async function unmoved(sql: Sql, firstSeasonS: number): Promise<number> {
  const [last] = await sql.query<{ number: number; starts_at_s: number }>(
    'select number, starts_at_s from league_seasons order by number desc limit 1',
  )
  if (!last || seasonOf(firstSeasonS, last.number).startsAtS === last.starts_at_s) return firstSeasonS
  const began = new Date(last.starts_at_s * 1000).toISOString().slice(0, 10)
  throw new StartRefused(`season ${last.number} began on ${began}: the first season cannot be moved any more`)
}
