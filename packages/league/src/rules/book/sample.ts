import { bpsDown } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { RULES } from '../numbers.ts'
import type { Book } from './book.ts'
import { cutToSeen, type SeenBalance } from './cutToSeen.ts'
import { valueBook } from './valueBook.ts'

/**
 * Samples every full hour up to a time, from the last sample on; one without a price or without the wallet's
 * balances leaves a gap.
 */
export function sampleTo(book: Book, untilS: number, market: MarketRecord, seen: SeenBalance): void {
  const every = RULES.sampleEveryS
  const last = untilS - (untilS % every)
  // Before the first trade there is nothing to sample.
  if (book.cursor) {
    for (let atS = book.sampledToS - (book.sampledToS % every) + every; atS <= last; atS += every) {
      lookAt(book, atS, market, seen)
    }
  }
  book.sampledToS = Math.max(book.sampledToS, last)
}

/** A drawdown is measured from the highest profit so far, relative to capital plus that profit. */
function lookAt(book: Book, atS: number, market: MarketRecord, seen: SeenBalance): void {
  if (!cutToSeen(book, atS, market, seen)) return
  const { profitMicroUsd } = valueBook(book, atS, market, 'running')
  if (profitMicroUsd === null) return
  if (profitMicroUsd > book.peakMicroUsd) book.peakMicroUsd = profitMicroUsd
  const from = book.capitalMicroUsd + book.peakMicroUsd
  if (from <= 0n) return
  const fallBps = Number(bpsDown(book.peakMicroUsd - profitMicroUsd, from))
  if (fallBps > book.maxDrawdownBps) book.maxDrawdownBps = fallBps
}
