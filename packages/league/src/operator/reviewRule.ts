import type { Sql } from '@pit/platform/db'
import { isReviewable, RULE_NAMES } from '../rules/index.ts'
import { lockSeason } from '../season/store.ts'
import { LeagueRefused } from './refused.ts'

export interface RuleReview {
  season: number
  entryId: number
  rule: string
  status: 'pass' | 'fail'
  reason: string
  operator: string
  atS: number
}

/** Records an operator's review of one rule of one entry. CONFIRMED and SANCTIONS cannot be reviewed. */
export async function reviewRule(sql: Sql, review: RuleReview): Promise<{ id: number }> {
  const { season, entryId, rule, status, reason, operator, atS } = review
  if (!RULE_NAMES.includes(rule))
    throw new LeagueRefused(`unknown rule ${rule}; use one of ${RULE_NAMES.join(', ')}`)
  if (!isReviewable(rule)) throw new LeagueRefused(`${rule} cannot be reviewed`)
  if (reason.trim() === '') throw new LeagueRefused('a review needs a reason')
  const row = await lockSeason(sql, season)
  if (!row) throw new LeagueRefused(`season ${season} does not exist`)
  if (row.state === 'decided' || row.state === 'settled')
    throw new LeagueRefused(`season ${season} is ${row.state}; its result can no longer change`)
  const plays = await sql.query('select 1 from league_books where season = $1 and entry_id = $2', [
    season,
    entryId,
  ])
  if (plays.length === 0) throw new LeagueRefused(`entry ${entryId} does not play season ${season}`)
  const [made] = await sql.query<{ id: number }>(
    `insert into league_reviews (season, entry_id, rule, status, reason, operator, at_s)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [season, entryId, rule, status, reason, operator, atS],
  )
  return made!
}
