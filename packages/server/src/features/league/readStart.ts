import { mondayOf, readFirstSeason } from '@pit/league'
import { nowS } from '@pit/platform/clock'
import type { LeagueDeps } from './deps.ts'

/**
 * Where season 1 starts: as the setting or the chain's profile says. A devnet has no calendar of its own: its first
 * season is that of the week its store first saw. Null where no league is run.
 */
export async function readStart({
  db,
  clock,
  profile,
  setting,
}: Pick<LeagueDeps, 'db' | 'clock' | 'profile'> & { setting: string | null }): Promise<number | null> {
  const named = setting ?? profile.league.first_season
  if (named !== null) return readFirstSeason(named)
  if (profile.kind !== 'devnet') return null
  await db.query('insert into league_start (first_season_s) values ($1) on conflict do nothing', [
    mondayOf(nowS(clock)),
  ])
  const [row] = await db.query<{ first_season_s: number }>('select first_season_s from league_start')
  return row!.first_season_s
}
