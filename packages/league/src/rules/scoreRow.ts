import { fixedText, LEAGUE, usdOf } from '@pit/protocol'
import type { RuleSet } from './ruleSets.ts'
import type { BookNumbers, JudgedEntry } from './season.ts'

/** The computed part of a prize row, as the API shows it; a recount compares exactly these fields. */
export function scoreRow(
  numbers: BookNumbers,
  judged: JudgedEntry,
  { amounts, checkedAtS, ruleSet }: { amounts: readonly bigint[]; checkedAtS: number; ruleSet: RuleSet },
) {
  const { profitMicroUsd } = numbers
  const { rank, cluster, status, eligible, rules, place } = judged
  const prize = place === null ? undefined : amounts[place - 1]
  return {
    rank,
    cluster: cluster.id,
    cluster_size: cluster.size,
    cluster_links: cluster.links,
    profit_usd: profitMicroUsd === null ? null : usdOf(profitMicroUsd),
    score: profitMicroUsd === null ? null : fixedText(profitMicroUsd, LEAGUE.scoreDecimals),
    // Rows of the first rules were recorded without it.
    ...(ruleSet.ranksBy === 'profit at marks' && { beyond_marks_usd: usdOf(numbers.beyondMarksMicroUsd) }),
    return_pct: numbers.returnBps === null ? null : numbers.returnBps / 100,
    max_dd_pct: numbers.maxDrawdownBps / 100,
    capital_usd: usdOf(numbers.capitalMicroUsd),
    trades: numbers.trades,
    active_days: numbers.activeDays,
    active: numbers.trades > 0,
    unvalued: numbers.unvalued,
    open_unpriced: numbers.openUnpriced,
    price_outliers: numbers.outliers,
    place,
    prize_atoms: prize === undefined ? null : String(prize),
    eligibility: { status, eligible, checked_at: checkedAtS, rules },
  }
}
export type ScoredRow = ReturnType<typeof scoreRow>
