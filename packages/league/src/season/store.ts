import type { Sql } from '@pit/platform/db'
import type { OpenedState, SeasonSpan, StoredOutcome } from '../rules/index.ts'

export interface SeasonRow {
  number: number
  starts_at_s: number
  ends_at_s: number
  state: OpenedState
  missed: boolean
  opened_at_s: number | null
  valued_at_s: number | null
  decided_at_s: number | null
  settled_at_s: number | null
  outcome: StoredOutcome | null
  /** The version of the rules it is judged by. */
  rules_version: number
}

export const SEASON_COLUMNS = `
  s.number, s.starts_at_s, s.ends_at_s, s.state, s.missed, s.opened_at_s, s.valued_at_s, s.decided_at_s,
  s.settled_at_s, s.outcome, s.rules_version`

/** SQL condition on an entry `e`: it still plays, or played a season that is not decided. */
export const STILL_JUDGED = `(e.left_at_s is null or exists (
  select 1 from league_books b join league_seasons n on n.number = b.season
  where b.entry_id = e.id and n.state in ('open', 'closing', 'provisional')))`

export const spanOf = ({ number, starts_at_s, ends_at_s }: SeasonRow): SeasonSpan => ({
  number,
  startsAtS: starts_at_s,
  endsAtS: ends_at_s,
})

/** The marks a season is valued with: current ones while it runs, its end marks afterwards. */
export const marksOf = (season: SeasonRow, nowS: number): { atS: number } | { endsAtS: number } =>
  nowS < season.ends_at_s ? { atS: nowS } : { endsAtS: season.ends_at_s }

/** Newest first. */
export const allSeasons = (sql: Sql): Promise<SeasonRow[]> =>
  sql.query<SeasonRow>(`select ${SEASON_COLUMNS} from league_seasons s order by s.number desc`)

/** Accepts any integer: a number beyond int4 is an unknown season, not an error. */
export async function readSeason(sql: Sql, number: number): Promise<SeasonRow | null> {
  const [row] = await sql.query<SeasonRow>(
    `select ${SEASON_COLUMNS} from league_seasons s where s.number = $1::int8`,
    [number],
  )
  return row ?? null
}

/** Oldest first: a season's ledger continues the one before. */
export const unsettledSeasons = (sql: Sql): Promise<SeasonRow[]> =>
  sql.query<SeasonRow>(
    `select ${SEASON_COLUMNS} from league_seasons s where s.state <> 'settled' order by s.number`,
  )

/** Locks the season against other transitions until the transaction ends. */
export async function lockSeason(sql: Sql, number: number): Promise<SeasonRow | null> {
  const [row] = await sql.query<SeasonRow>(
    `select ${SEASON_COLUMNS} from league_seasons s where s.number = $1 for update`,
    [number],
  )
  return row ?? null
}

export async function lastSeason(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ last: number | null }>('select max(number) as last from league_seasons')
  return row?.last ?? 0
}
