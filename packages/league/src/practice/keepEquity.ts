import { nowS } from '@pit/platform/clock'
import type { LeagueDeps } from '../deps.ts'
import { RULES, type SeasonSpan } from '../rules/index.ts'

const AT_ONCE = 1_000

/** Keeps what every practice book is worth once an hour: drawdowns are read from it. */
export function createEquityKeeper({
  db,
  clock,
  paper,
}: Pick<LeagueDeps, 'db' | 'clock' | 'paper'>): (span: SeasonSpan) => Promise<void> {
  let keptHourS = 0
  return async (span) => {
    const now = nowS(clock)
    const hourS = now - (now % RULES.sampleEveryS)
    if (hourS <= keptHourS || now >= span.endsAtS) return
    for (let after = 0; ; ) {
      const rows = await db.query<{ book_id: number }>(
        'select book_id from league_practice_books where season = $1 and book_id > $2 order by book_id limit $3',
        [span.number, after, AT_ONCE],
      )
      if (rows.length === 0) break
      await paper.recordEquity(
        rows.map(({ book_id }) => book_id),
        now,
      )
      after = rows[rows.length - 1]!.book_id
    }
    keptHourS = hourS
  }
}
