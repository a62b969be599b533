import { dollarsOf, percentOf, scoreText } from './decimals.ts'
import type { BookNumbers, JudgedEntry } from './season.ts'

/** What of a prize row is counted, as the API shows it: whoever recomputes a season compares exactly this. */
export function scoreRow(
  numbers: BookNumbers,
  judged: JudgedEntry,
  { amounts, checkedAtS }: { amounts: readonly bigint[]; checkedAtS: number },
) {
  const { profitMicroUsd } = numbers
  const { rank, cluster, status, eligible, rules, place } = judged
  const prize = place === null ? undefined : amounts[place - 1]
  return {
    rank,
    cluster: cluster.id,
    cluster_size: cluster.size,
    cluster_links: cluster.links,
    profit_usd: profitMicroUsd === null ? null : dollarsOf(profitMicroUsd),
    score: profitMicroUsd === null ? null : scoreText(profitMicroUsd),
    return_pct: numbers.returnBps === null ? null : percentOf(numbers.returnBps),
    max_dd_pct: percentOf(numbers.maxDrawdownBps),
    capital_usd: dollarsOf(numbers.capitalMicroUsd),
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
