import { type Answer, NATIVE_TOKEN } from '@pit/protocol'
import { type JudgedSeason, judgeSeason, ruleSetOf, scoreRow } from '../rules/index.ts'
import type { SeasonRow } from '../season/store.ts'
import type { SeasonEntry } from './facts.ts'

export type PrizeRow = Extract<Answer<'league.standings'>['rows'][number], { wallet: string }>

/** The current judgement of an undecided season. Rules that need its end are pending until then. */
export const judgeNow = (entries: readonly SeasonEntry[], season: SeasonRow): JudgedSeason =>
  judgeSeason(
    entries.map(({ record }) => record),
    season.valued_at_s === null ? 'running' : 'ended',
    ruleSetOf(season.rules_version),
  )

/** The prize board's rows, in rank order. */
export function prizeRows(
  entries: readonly SeasonEntry[],
  judged: JudgedSeason,
  season: SeasonRow,
  { amounts, nowS }: { amounts: readonly bigint[]; nowS: number },
): PrizeRow[] {
  const runs = season.state === 'open' && nowS < season.ends_at_s
  const valuedAt = season.valued_at_s === null ? Math.min(nowS, season.ends_at_s) : season.ends_at_s
  const ruleSet = ruleSetOf(season.rules_version)
  const byId = new Map(entries.map((each) => [each.entry.id, each]))
  return judged.rows.map((row) => {
    const { entry, record } = byId.get(row.entryId)!
    const { left } = record.facts
    const scored = scoreRow(record.numbers, row, { amounts, checkedAtS: nowS, ruleSet })
    // Written out for speed: spreading parts costs most of a second for ten thousand rows.
    return {
      rank: scored.rank,
      entry_id: entry.id,
      agent_id: entry.agent_id,
      board: 'prize',
      kind: 'wallet',
      label: entry.name || entry.symbol || `Agent ${entry.agent_id}`,
      wallet: entry.wallet,
      symbol: entry.symbol,
      name: entry.name,
      token: entry.token === NATIVE_TOKEN ? null : entry.token,
      owner: entry.owner,
      cluster: scored.cluster,
      cluster_size: scored.cluster_size,
      cluster_links: scored.cluster_links,
      profit_usd: scored.profit_usd,
      score: scored.score,
      ...(scored.beyond_marks_usd !== undefined && { beyond_marks_usd: scored.beyond_marks_usd }),
      return_pct: scored.return_pct,
      max_dd_pct: scored.max_dd_pct,
      capital_usd: scored.capital_usd,
      trades: scored.trades,
      active_days: scored.active_days,
      active: scored.active,
      unvalued: scored.unvalued,
      open_unpriced: scored.open_unpriced,
      price_outliers: scored.price_outliers,
      valued_at: valuedAt,
      left,
      place: scored.place,
      prize_atoms: scored.prize_atoms,
      live: runs && !left,
      eligibility: scored.eligibility,
    }
  })
}
