import { type Answer, LEAGUE, PRACTICE_ASSETS } from '@pit/protocol'
import { RULES } from '../rules/index.ts'

/** The rules in words and numbers. */
export const describeRules = (): Answer<'league'>['rules'] => ({
  score:
    'Profit in dollars of the trades that were relayed for the entrant’s wallet and mined in the season, less fees and gas. A book starts empty: what a trade sells and the book does not hold is brought in at its mark, and is the capital at work. Highest profit wins.',
  valuation:
    'At independent marks, by the minute: USDG at a dollar, oracle feeds, the platform-linked token at its 30-minute mean. A token without a mark counts at cost while held and at its proceeds once sold; what is still held at the end is written off. A price that cannot be read leaves the book unvalued, never worth nothing. Transfers are not trades.',
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
