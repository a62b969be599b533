import type { Sql } from '@pit/platform/db'
import { LeagueRefused } from './refused.ts'

export interface Admission {
  entryId: number
}

/** Lets a practice entry play the running season instead of the next one. The next run opens its book. */
export async function admitEntry(
  sql: Sql,
  { entryId }: Admission,
): Promise<{ entry_id: number; season: number }> {
  const [season] = await sql.query<{ number: number }>(
    `select number from league_seasons where state = 'open' order by number desc limit 1 for share`,
  )
  if (!season) throw new LeagueRefused('no season is running')
  const [entry] = await sql.query<{ board: string; from_season: number; left_at_s: number | null }>(
    'select board, from_season, left_at_s from league_entries where id = $1 for update',
    [entryId],
  )
  if (!entry) throw new LeagueRefused(`entry ${entryId} does not exist`)
  if (entry.board !== 'practice') throw new LeagueRefused('only the practice board admits late entries')
  if (entry.left_at_s !== null) throw new LeagueRefused(`entry ${entryId} left the board`)
  if (entry.from_season <= season.number)
    throw new LeagueRefused(`entry ${entryId} already plays season ${season.number}`)
  await sql.query('update league_entries set from_season = $2 where id = $1', [entryId, season.number])
  return { entry_id: entryId, season: season.number }
}
