import type { Sql } from '@pit/platform/db'
import { groupBy } from '../rules/groupBy.ts'
import { advance, decodeBook, encodeBook, replay, type SeasonSpan } from '../rules/index.ts'
import type { MarkBook, MarkPoint } from './marks.ts'
import { readSeen } from './seen.ts'
import { lockBooks, saveBooks, type TakenTrade, tradesOfBook } from './store.ts'

/**
 * Applies newly taken trades to the books of one season. A book with an out-of-order trade is rebuilt from
 * all of its trades, with the same result as if the trade had come in time.
 */
export async function applyTaken(
  sql: Sql,
  marks: MarkBook,
  span: SeasonSpan,
  trades: readonly TakenTrade[],
  nowS: number,
): Promise<{ rebuilt: number }> {
  const byEntry = groupBy(trades, ({ entryId }) => entryId)
  const rows = await lockBooks(sql, span.number, [...byEntry.keys()])
  const market = await marks.read(sql, {
    points: markPointsOf(trades),
    hours: { fromS: span.startsAtS, toS: Math.min(nowS, span.endsAtS) },
    nowS,
  })
  const books = rows.map(({ entry_id: entryId, book }) => ({ entryId, book: decodeBook(book) }))
  const seen = await readSeen(sql, span.number, {
    entryIds: [...byEntry.keys()],
    afterS: Math.min(...books.map(({ book }) => book.sampledToS)),
  })
  let rebuilt = 0
  const changed = []
  for (const { entryId, book: storedBook } of books) {
    let book = storedBook
    if (!advance(book, byEntry.get(entryId) ?? [], market, seen(entryId))) {
      rebuilt++
      const all = await tradesOfBook(sql, span.number, entryId)
      const whole = await marks.read(sql, {
        points: markPointsOf(all),
        hours: { fromS: span.startsAtS, toS: Math.min(nowS, span.endsAtS) },
        nowS,
      })
      const wholeSeen = await readSeen(sql, span.number, { entryIds: [entryId], afterS: span.startsAtS })
      book = replay(span, all, book.sampledToS, whole, wholeSeen(entryId))
    }
    changed.push({ entryId, book: encodeBook(book) })
  }
  await saveBooks(sql, span.number, changed)
  return { rebuilt }
}

/** A trade is valued at the marks of the minute it was mined in. */
export const markPointsOf = (trades: readonly Pick<TakenTrade, 'swap' | 'minedAtS'>[]): MarkPoint[] =>
  trades.flatMap(({ swap, minedAtS }) =>
    swap
      ? [
          { token: swap.tokenIn, atS: minedAtS },
          { token: swap.tokenOut, atS: minedAtS },
        ]
      : [],
  )
