import { nowS } from '@pit/platform/clock'
import { decodeBook, encodeBook, RULES, type SeasonSpan, sampleTo } from '../rules/index.ts'
import { lastSeen, readSeen } from './seen.ts'
import { lockBooks, saveBooks } from './store.ts'
import type { TakeDeps } from './takeTrades.ts'

const PAGE = 1_000
/** After this, an hour's transactions are usually final and taken; a later one rebuilds its book. */
const SETTLED_S = 300

/** Samples every book of a season at the full hours that have passed, so that drawdowns are up to date. */
export async function sampleBooks({ db, marks, clock }: TakeDeps, span: SeasonSpan): Promise<void> {
  const now = nowS(clock)
  const due = Math.min(now - SETTLED_S, (await lastSeen(db, span)).atS)
  const untilS = due - (due % RULES.sampleEveryS)
  const [row] = await db.query<{ sampled_to_s: number | null }>(
    'select sampled_to_s from league_seasons where number = $1',
    [span.number],
  )
  if (untilS <= (row?.sampled_to_s ?? span.startsAtS)) return
  for (let after = 0; ; ) {
    const ids = await db.query<{ entry_id: number }>(
      'select entry_id from league_books where season = $1 and entry_id > $2 order by entry_id limit $3',
      [span.number, after, PAGE],
    )
    if (ids.length === 0) break
    after = ids[ids.length - 1]!.entry_id
    await db.transaction(async (sql) => {
      const rows = await lockBooks(
        sql,
        span.number,
        ids.map(({ entry_id }) => entry_id),
      )
      const market = await marks.read(sql, { hours: { fromS: span.startsAtS, toS: untilS }, nowS: now })
      const books = rows.map(({ entry_id: entryId, book }) => ({ entryId, book: decodeBook(book) }))
      const seen = await readSeen(sql, span.number, {
        entryIds: books.map(({ entryId }) => entryId),
        afterS: Math.min(...books.map(({ book }) => book.sampledToS)),
      })
      const changed = books.flatMap(({ entryId, book }) => {
        if (book.sampledToS >= untilS) return []
        sampleTo(book, untilS, market, seen(entryId))
        return [{ entryId, book: encodeBook(book) }]
      })
      await saveBooks(sql, span.number, changed)
    })
  }
  await db.query('update league_seasons set sampled_to_s = $2 where number = $1', [span.number, untilS])
}
