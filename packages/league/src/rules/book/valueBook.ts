import { bpsDown, markPrice, minOf, worthDown, worthUp } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { basisOf } from './basis.ts'
import type { Book } from './book.ts'
import type { SeenBalance } from './cutToSeen.ts'

export interface BookValue {
  /** Null while any part could not be valued: a missing price never counts as zero. */
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  /** Null without capital too. */
  returnBps: number | null
  /** Trades and holdings whose price, or at the end whose balance, could not be read. */
  unvalued: number
  /** Tokens without a mark that are still held. */
  openUnpriced: number
  /** Holdings whose last mark is far from the one they are valued at. */
  divergent: number
}

/**
 * Values a book at the marks of a time. Tokens without a mark count at cost. At the season's end they count
 * zero, and the others at the end marks, limited to the wallet's sampled balances.
 */
export function valueBook(
  book: Book,
  atS: number,
  market: MarketRecord,
  when: 'running' | 'ended',
  seen?: SeenBalance,
): BookValue {
  const priceOf = (token: string) =>
    when === 'ended' ? market.endMark(token).priceE18 : market.priceAt(token, atS)
  let unvalued = book.unvaluedTrades
  let sum = book.leftMicroUsd - book.broughtMicroUsd
  for (const [token, atoms] of book.held) {
    const priceE18 = priceOf(token)
    const balance = seen ? seen(token, atS) : atoms
    if (priceE18 === null || balance === null) {
      unvalued++
      continue
    }
    const price = markPrice(priceE18, market.assets.get(token)!.decimals)
    const remaining = minOf(atoms, balance)
    const lostBasis = basisOf(book, token, atoms - remaining, atoms)
    sum += worthDown(remaining, price) + minOf(lostBasis, worthDown(atoms - remaining, price))
  }
  if (book.gasWei > 0n) {
    const priceE18 = priceOf(market.native)
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
  const { capitalMicroUsd } = book
  return {
    profitMicroUsd,
    capitalMicroUsd,
    returnBps:
      profitMicroUsd === null || capitalMicroUsd <= 0n
        ? null
        : Number(bpsDown(profitMicroUsd, capitalMicroUsd)),
    unvalued,
    openUnpriced: book.unmarked.size,
    divergent:
      when === 'running' ? 0 : [...book.held.keys()].filter((token) => market.endMark(token).diverges).length,
  }
}
