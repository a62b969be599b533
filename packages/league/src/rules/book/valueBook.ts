import { costOf, type MarketRecord, worth } from '../marks.ts'
import { BPS_ALL } from '../numbers.ts'
import type { Book } from './book.ts'

export interface BookValue {
  /** Null while anything of it could not be valued: what has no price is never worth nothing. */
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  returnBps: number | null
  /** Trades and holdings whose price could not be read. */
  unvalued: number
  /** Tokens without a mark that are still held. */
  openUnpriced: number
}

/** A book at the marks of a time. While a season runs, tokens without a mark count at cost; at its end they count nothing. */
export function valueBook(
  book: Book,
  atS: number,
  market: MarketRecord,
  when: 'running' | 'ended',
): BookValue {
  let unvalued = book.unvaluedTrades
  let sum = -book.broughtMicroUsd
  for (const [token, atoms] of book.held) {
    const priceE18 = market.priceAt(token, atS)
    if (priceE18 === null) unvalued++
    else sum += worth(atoms, market.assets.get(token)!.decimals, priceE18)
  }
  if (book.gasWei > 0n) {
    const priceE18 = market.priceAt(market.native, atS)
    if (priceE18 === null) unvalued++
    else sum -= costOf(book.gasWei, market.assets.get(market.native)?.decimals ?? 18, priceE18)
  }
  if (when === 'running') {
    for (const { costMicroUsd } of book.unmarked.values()) {
      if (costMicroUsd === null) unvalued++
      else sum += costMicroUsd
    }
  }
  const profitMicroUsd = unvalued > 0 ? null : sum
  return {
    profitMicroUsd,
    capitalMicroUsd: book.broughtMicroUsd,
    returnBps: profitMicroUsd === null ? null : returnOf(profitMicroUsd, book.broughtMicroUsd),
    unvalued,
    openUnpriced: book.unmarked.size,
  }
}

/** Profit on capital in basis points, rounded down; null without capital. */
function returnOf(profit: bigint, capital: bigint): number | null {
  if (capital <= 0n) return null
  const scaled = profit * BPS_ALL
  const cut = scaled / capital
  return Number(scaled < 0n && scaled % capital !== 0n ? cut - 1n : cut)
}
