import { markPrice, maxOf, minOf, worthDown } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { takeUnmarked } from './applyTrade.ts'
import { basisOf } from './basis.ts'
import type { Book } from './book.ts'

/** What the entrant's wallet held of a token at a full hour; null when that could not be read. */
export type SeenBalance = (token: string, atS: number) => bigint | null

/**
 * Cuts a book to what the wallet holds at a full hour. What is missing left other than by a relayed trade: it
 * is taken off what was brought in, at the lower of its basis and its mark, so that money which leaves and
 * comes back makes no gain, however often it is booked. Of a token without a mark it is written off. Answers
 * false when not everything could be seen; what could not be seen stays as it was.
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
    const kept = minOf(atoms, balance)
    const lost = atoms - kept
    const lostBasis = basisOf(book, token, lost, atoms)
    book.leftMicroUsd += minOf(lostBasis, worthDown(lost, price))
    missing += lostBasis
    const keptMicroUsd = worthDown(kept, price)
    worth += keptMicroUsd
    setOrDelete(book.held, token, kept)
    setOrDelete(book.basis, token, keptMicroUsd)
  }
  for (const [token, { atoms }] of book.unmarked) {
    const balance = seen(token, atS)
    if (balance === null) isWhole = false
    else if (balance < atoms) takeUnmarked(book, token, atoms - balance)
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
