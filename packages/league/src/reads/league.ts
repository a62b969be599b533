import { nowS } from '@pit/platform/clock'
import { type Answer, LEAGUE, PRACTICE_ASSETS } from '@pit/protocol'
import { reserveBefore } from '../reserve/countSeason.ts'
import { describeLedger, describePayout, describeWithdrawal } from '../reserve/describe.ts'
import { type Estimate, estimateSeason } from '../reserve/estimate.ts'
import { allLedgers, payoutsOf, withdrawalsOf } from '../reserve/store.ts'
import { nextSeasonAt, RULES, seasonAt, seasonOf } from '../rules/index.ts'
import { allSeasons, readSeason } from '../season/store.ts'
import { describeSeason } from './describeSeason.ts'
import { entrantsFor, entrantsIn, type ReadDeps } from './readDeps.ts'
import { describeSeasons } from './seasons.ts'

const PAST_SHOWN = 10

/** GET league: the season, the reserve, the rules and the past. */
export async function buildLeague(deps: ReadDeps): Promise<Answer<'league'>> {
  const { db, clock, firstSeasonS, profile, reserveOn } = deps
  const now = nowS(clock)
  const current = seasonAt(firstSeasonS, now) ?? seasonOf(firstSeasonS, 1)
  const next = seasonOf(firstSeasonS, current.number + 1)
  const row = await readSeason(db, current.number)
  const playing = row
    ? (await entrantsIn(db, [current.number])).get(current.number)
    : await entrantsFor(db, current)
  const past = (await allSeasons(db)).filter(({ number }) => number < current.number)
  const before = await reserveBefore(db, current.number)
  return {
    season: describeSeason(current, row, now),
    next_season: describeSeason(next, null, now),
    entrants: playing?.prize ?? 0,
    practice_entrants: playing?.practice ?? 0,
    schedule: {
      first_season: new Date(firstSeasonS * 1000).toISOString().slice(0, 10),
      season_days: LEAGUE.seasonDays,
      starts: 'Monday 00:00 UTC',
      review_s: RULES.reviewS,
      entered_now_plays_from: nextSeasonAt(firstSeasonS, now).number,
    },
    reserve: {
      on: reserveOn,
      agent_id: profile.league.platform_agent_id,
      reserve_atoms: reserveOn ? (before.atoms?.toString() ?? null) : null,
      cap_usd: RULES.prizeCapUsd,
      estimate: await estimateNow(deps),
    },
    rules: describeRules(),
    past: await describeSeasons(deps, past.slice(0, PAST_SHOWN), now),
    now,
  }
}

/** Null without a reserve or a running season. */
async function estimateNow({
  db,
  clock,
  marks,
  assets,
  firstSeasonS,
  reserveOn,
}: ReadDeps): Promise<Estimate | null> {
  const now = nowS(clock)
  const span = seasonAt(firstSeasonS, now)
  if (!reserveOn || !span) return null
  const market = await marks.read(db, { atS: now, nowS: now })
  return estimateSeason(db, span, { market, partner: assets.partner, atS: now })
}

/** GET league/reserve: every season's ledger, newest first. */
export async function buildReserve(deps: ReadDeps): Promise<Answer<'league.reserve'>> {
  const { db, profile, reserveOn } = deps
  const ledgers = await allLedgers(db)
  const seasons = ledgers.map(({ season }) => season)
  const payouts = await payoutsOf(db, seasons)
  const withdrawals = new Map((await withdrawalsOf(db, seasons)).map((row) => [row.season, row]))
  return {
    on: reserveOn,
    agent_id: profile.league.platform_agent_id,
    rows: ledgers.map((row) => ({
      season: row.season,
      ...describeLedger(row),
      withdrawal: describeWithdrawal(withdrawals.get(row.season)),
      payouts: payouts.filter(({ season }) => season === row.season).map(describePayout),
      why: row.why,
    })),
    estimate: await estimateNow(deps),
    rules: describeRules(),
  }
}

/** The rules in words and numbers. */
const describeRules = (): Answer<'league'>['rules'] => ({
  score:
    'Profit in dollars of the trades that were relayed for the entrant’s wallet and mined in the ' +
    'season, less fees and gas. A book starts empty: what a trade sells and the book does not hold is ' +
    'brought in at its mark, and is the capital at work. The highest profit wins; profit that no ' +
    'independent mark confirms (beyond_marks_usd) does not count for the rank.',
  valuation:
    'At independent marks, by the minute: USDG at a dollar, oracle feeds, the platform-linked token at ' +
    'its 30-minute mean. A token without a mark counts at cost while held and at its proceeds once ' +
    'sold; what is still held at the end is written off. A price that cannot be read leaves the book ' +
    'unvalued, never worth nothing. No more counts than the wallet was seen to hold at each full hour: ' +
    'what left other than by a trade is taken off at the lower of its mark and what it was last seen ' +
    'at. At the end a token counts at the median of its marks of the last day.',
  split_pct: [...LEAGUE.splitPct],
  min_owner_clusters: LEAGUE.minOwnerClusters,
  prize_cap_usd: RULES.prizeCapUsd,
  reserve_ceiling_seasons: LEAGUE.reserveCeilingCaps,
  copy_window_s: RULES.copyWindowS,
  practice: {
    book_usdg: LEAGUE.practiceBookUsdg,
    division: RULES.practiceDivision,
    hosted_assets: [...PRACTICE_ASSETS],
    min_interval_s: LEAGUE.practiceMinIntervalS,
  },
})
