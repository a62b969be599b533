import type { Sql } from '@pit/platform/db'
import type { Assets } from '../books/assets.ts'
import type { LeagueDeps } from '../deps.ts'
import type { SeasonSpan } from '../rules/index.ts'
import type { FactDeps } from '../standings/facts.ts'

export type ReadDeps = Pick<LeagueDeps, 'db' | 'clock' | 'profile'> &
  FactDeps & { firstSeasonS: number; assets: Assets; reserveOn: boolean }

/** Number of entrants per board that have, or would get, a book in a season. */
export interface Counts {
  prize: number
  practice: number
}

/** Entrants of an upcoming season. */
export async function entrantsFor(sql: Sql, { number }: SeasonSpan): Promise<Counts> {
  const rows = await sql.query<{ board: 'prize' | 'practice'; n: number }>(
    `select board, count(*)::int4 as n from league_entries where left_at_s is null and from_season <= $1
     group by board`,
    [number],
  )
  const of = (board: string) => rows.find((row) => row.board === board)?.n ?? 0
  return { prize: of('prize'), practice: of('practice') }
}

/** Entrants with a book, by season. */
export async function entrantsIn(sql: Sql, seasons: readonly number[]): Promise<Map<number, Counts>> {
  const rows = await sql.query<{ season: number; prize: number; practice: number }>(
    `select given.season, (select count(*) from league_books b where b.season = given.season)::int4 as prize,
       (select count(*) from league_practice_books b where b.season = given.season)::int4 as practice
     from unnest($1::int4[]) as given (season)`,
    [seasons],
  )
  return new Map(rows.map(({ season, prize, practice }) => [season, { prize, practice }]))
}
