import { markPrice, maxOf, minOf, worthDown } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { removeUnmarked } from './applyTrade.ts'
import { basisOf } from './basis.ts'
import type { Book } from './book.ts'

/** The wallet's balance of a token at a full hour; null if it could not be read. */
export type SeenBalance = (token: string, atS: number) => bigint | null

/**
 * Cuts a book to the wallet's balances at a full hour. A missing amount left other than by a relayed trade:
 * it is deducted from what was brought in, at the lower of its basis and its mark, so that money which leaves
 * and comes back makes no gain, however often it is booked. For a token without a mark it is written off.
 * Returns false if a balance or price could not be read; those holdings stay unchanged.
 */
export function cutToSeen(book: Book, atS: number, market: MarketRecord, seen: SeenBalance): boolean {
  let isWhole = true
  let [worth, missing] = [0n, 0n]
  for (const [token, atoms] of book.held) {
    const [balance, priceE18] = [seen(token, atS), market.priceAt(token, atS)]
    if (balance === null || priceE18 === null) {
      isWhole = false
      continue
    }
    const price = markPrice(priceE18, market.assets.get(token)!.decimals)
    const remaining = minOf(atoms, balance)
    const lost = atoms - remaining
    const lostBasis = basisOf(book, token, lost, atoms)
    book.leftMicroUsd += minOf(lostBasis, worthDown(lost, price))
    missing += lostBasis
    const remainingMicroUsd = worthDown(remaining, price)
    worth += remainingMicroUsd
    setOrDelete(book.held, token, remaining)
    setOrDelete(book.basis, token, remainingMicroUsd)
  }
  for (const [token, { atoms }] of book.unmarked) {
    const balance = seen(token, atS)
    if (balance === null) isWhole = false
    else if (balance < atoms) removeUnmarked(book, token, atoms - balance)
    worth += book.basis.get(token) ?? 0n
  }
  book.unseenMicroUsd += maxOf(0n, missing - book.seenMicroUsd)
  book.seenMicroUsd = isWhole ? worth : maxOf(0n, book.seenMicroUsd - missing)
  return isWhole
}

function setOrDelete(amounts: Map<string, bigint>, token: string, amount: bigint): void {
  if (amount === 0n) amounts.delete(token)
  else amounts.set(token, amount)
}
