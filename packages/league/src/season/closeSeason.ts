import { nowS } from '@pit/platform/clock'
import { closeBooks } from '../books/closeBooks.ts'
import { lastSeen } from '../books/seen.ts'
import { readCursor, waitsFor } from '../books/store.ts'
import type { TakeDeps } from '../books/takeTrades.ts'
import { nextState } from '../rules/index.ts'
import { practiceRows } from '../standings/practiceRows.ts'
import { recordRows } from '../standings/recorded.ts'
import { lockSeason, type SeasonRow, spanOf } from './store.ts'

const FACTS = { booksFinal: false, undecidedWinner: false, unreadWinner: false, nothingToPay: false }
/** After this, marks of the last minute are written and its trades have settled. */
const VALUES_AFTER_S = 180
const STATEMENT_TIMEOUT_MS = 300_000

/** Ends a season whose time is over. Paper orders are refused from that second on in any case. */
export async function endSeason({ db, clock, logger }: TakeDeps, season: SeasonRow): Promise<boolean> {
  if (season.state !== 'open' || nowS(clock) < season.ends_at_s) return false
  return db.transaction(async (sql) => {
    const row = await lockSeason(sql, season.number)
    if (row?.state !== 'open') return false
    const next = nextState({ ...FACTS, span: spanOf(row), state: row.state, nowS: nowS(clock) })
    if (next !== 'closing') return false
    await sql.query(`update league_seasons set state = 'closing' where number = $1`, [row.number])
    logger.info({ season: row.number }, 'season ended: its books are being valued')
    return true
  })
}

/** Values the books of a season that ended, once everything relayed before its end is final and taken. */
export async function valueSeason(deps: TakeDeps, season: SeasonRow): Promise<boolean> {
  const { db, clock, marks, logger } = deps
  const now = nowS(clock)
  if (season.state !== 'closing' || now < season.ends_at_s + VALUES_AFTER_S) return false
  if ((await lastSeen(db, spanOf(season))).atS < season.ends_at_s) return false
  if (await waitsFor(db, spanOf(season), await readCursor(db))) return false
  return db.transaction(
    async (sql) => {
      const row = await lockSeason(sql, season.number)
      if (row?.state !== 'closing') return false
      const span = spanOf(row)
      if (nextState({ ...FACTS, span, state: row.state, nowS: now, booksFinal: true }) !== 'provisional')
        return false
      await closeBooks(sql, marks, span, now)
      const market = await marks.read(sql, { endsAtS: span.endsAtS, nowS: now })
      const { usdg } = deps.assets
      const practice = await practiceRows(sql, row, { market, usdg, nowS: now })
      await recordRows(
        sql,
        row.number,
        'practice',
        practice.map((each) => ({ row: { ...each, live: false }, facts: null })),
      )
      await sql.query(`update league_seasons set state = 'provisional', valued_at_s = $2 where number = $1`, [
        row.number,
        now,
      ])
      logger.info({ season: row.number }, 'season valued: eligibility is open to review')
      return true
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  )
}
