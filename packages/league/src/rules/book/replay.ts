import type { MarketRecord } from '../marks.ts'
import type { SeasonSpan } from '../seasons.ts'
import { applyTrade } from './applyTrade.ts'
import { type Book, type BookTrade, emptyBook, inOrder } from './book.ts'
import type { SeenBalance } from './cutToSeen.ts'
import { sampleTo } from './sample.ts'

/**
 * Goes on with a book by newer transactions. Answers false, the book untouched, when one of them is older
 * than what was applied: then it has to be replayed from the start.
 */
export function advance(
  book: Book,
  trades: readonly BookTrade[],
  market: MarketRecord,
  seen: SeenBalance,
): boolean {
  const sorted = [...trades].sort(inOrder)
  const first = sorted[0]
  if (!first) return true
  if (first.minedAtS < book.sampledToS) return false
  if (book.cursor && inOrder(first, book.cursor) <= 0) return false
  for (const trade of sorted) {
    sampleTo(book, trade.minedAtS, market, seen)
    applyTrade(book, trade, market)
  }
  return true
}

/** A book from the record, as of a time. However a book came about, this is what it must equal. */
export function replay(
  span: SeasonSpan,
  trades: readonly BookTrade[],
  untilS: number,
  market: MarketRecord,
  seen: SeenBalance,
): Book {
  const book = emptyBook(span.startsAtS)
  advance(book, trades, market, seen)
  sampleTo(book, Math.min(untilS, span.endsAtS), market, seen)
  return book
}
