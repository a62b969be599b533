import type { PlainRow } from '@pit/league/test/plainSeason'
import { type Answer, fixedText } from '@pit/protocol'

/** A prize row and its independently counted values, in one shape. */

export function shownRow(row: Answer<'league.season'>['rows'][number]) {
  if (!('wallet' in row)) throw new Error('a practice row')
  return {
    id: row.entry_id,
    rank: row.rank,
    score: row.score,
    capital: row.capital_usd,
    drawdown: row.max_dd_pct,
    trades: row.trades,
    days: row.active_days,
    unvalued: row.unvalued,
    outliers: row.price_outliers,
    cluster: row.cluster,
    eligible: row.eligibility?.eligible,
    place: row.place,
  }
}

export const countedRow = (row: PlainRow): ReturnType<typeof shownRow> => ({
  id: row.id,
  rank: row.rank,
  score: row.profit === null ? null : fixedText(row.profit, 6),
  capital: Number(fixedText(row.capital, 6)),
  drawdown: row.drawdownBps / 100,
  trades: row.trades,
  days: row.days,
  unvalued: row.unvalued,
  outliers: row.outliers,
  cluster: row.cluster,
  eligible: row.eligible,
  place: row.place,
})
