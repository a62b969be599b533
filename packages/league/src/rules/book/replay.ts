import type { MarketRecord } from '../marks.ts'
import type { SeasonSpan } from '../seasons.ts'
import { applyTrade } from './applyTrade.ts'
import { type Book, type BookTrade, emptyBook, inOrder } from './book.ts'
import type { SeenBalance } from './cutToSeen.ts'
import { sampleTo } from './sample.ts'

/**
 * Applies newer transactions to a book. Returns false, with the book unchanged, if one of them is older than
 * the last applied one: the book then has to be replayed from the start.
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

/** Rebuilds a book from the record, as of a time. A book built step by step must equal it. */
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
