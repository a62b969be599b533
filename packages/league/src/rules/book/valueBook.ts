import { bpsDown, markPrice, worthDown, worthUp } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import type { Book } from './book.ts'

export interface BookValue {
  /** Null while anything of it could not be valued: what has no price is never worth nothing. */
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  /** Null without capital too. */
  returnBps: number | null
  /** Trades and holdings whose price could not be read. */
  unvalued: number
  /** Tokens without a mark that are still held. */
  openUnpriced: number
}

/** A book at the marks of a time. Tokens without a mark count at cost, and nothing at the season's end. */
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
    else sum += worthDown(atoms, markPrice(priceE18, market.assets.get(token)!.decimals))
  }
  if (book.gasWei > 0n) {
    const priceE18 = market.priceAt(market.native, atS)
    if (priceE18 === null) unvalued++
    else sum -= worthUp(book.gasWei, markPrice(priceE18, market.assets.get(market.native)?.decimals ?? 18))
  }
  if (when === 'running') {
    for (const { costMicroUsd } of book.unmarked.values()) {
      if (costMicroUsd === null) unvalued++
      else sum += costMicroUsd
    }
  }
  const profitMicroUsd = unvalued > 0 ? null : sum
  const capitalMicroUsd = book.broughtMicroUsd
  return {
    profitMicroUsd,
    capitalMicroUsd,
    returnBps:
      profitMicroUsd === null || capitalMicroUsd <= 0n
        ? null
        : Number(bpsDown(profitMicroUsd, capitalMicroUsd)),
    unvalued,
    openUnpriced: book.unmarked.size,
  }
}
