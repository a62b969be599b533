import type { Address } from '@pit/chain'
import { divUp, markPrice, worthDown, worthUp } from '@pit/protocol'

/** Holdings of a session by its own settled trades. Deposits and withdrawals of the wallet do not appear. */
export interface Book {
  tokens: ReadonlyMap<Address, Holding>
  /** Input that did not come out of the book, at the price of its leaf. */
  capitalMicroUsd: bigint
}
export interface Holding {
  atoms: bigint
  /** Paid for them: the most that a token without a feed is worth. */
  costMicroUsd: bigint
}

export const EMPTY_BOOK: Book = { tokens: new Map(), capitalMicroUsd: 0n }

export interface SettledTrade {
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  received: bigint
  /** Value of the input when the leaf was counted. */
  microUsd: bigint
}

/** The book after one more trade. No holding falls below zero. */
export function bookTrade(
  { tokens, capitalMicroUsd }: Book,
  { tokenIn, tokenOut, amountIn, received, microUsd }: SettledTrade,
): Book {
  const next = new Map(tokens)
  const sold = next.get(tokenIn) ?? NOTHING
  const fromBook = sold.atoms < amountIn ? sold.atoms : amountIn
  const beyond = amountIn - fromBook
  const restAtoms = sold.atoms - fromBook
  if (restAtoms === 0n) next.delete(tokenIn)
  else
    next.set(tokenIn, {
      atoms: restAtoms,
      costMicroUsd: divUp(sold.costMicroUsd * restAtoms, sold.atoms),
    })
  const bought = next.get(tokenOut) ?? NOTHING
  if (received > 0n)
    next.set(tokenOut, {
      atoms: bought.atoms + received,
      costMicroUsd: bought.costMicroUsd + microUsd,
    })
  return { tokens: next, capitalMicroUsd: capitalMicroUsd + divUp(microUsd * beyond, amountIn) }
}

const NOTHING: Holding = { atoms: 0n, costMicroUsd: 0n }

/** A price that values holdings. `feedless`: by the owner's mark, so at most at cost. */
export interface BookPrice {
  priceE18: bigint
  decimals: number
  feedless: boolean
}
export type BookPriceOf = (token: Address) => BookPrice | null

/** Profit and loss of the book; null if one of its tokens has no price. */
export function profitOf({ tokens, capitalMicroUsd }: Book, priceOf: BookPriceOf): bigint | null {
  let worth = 0n
  for (const [token, { atoms, costMicroUsd }] of tokens) {
    const price = priceOf(token)
    if (price === null) return null
    const value = worthDown(atoms, markPrice(price.priceE18, price.decimals))
    worth += price.feedless && value > costMicroUsd ? costMicroUsd : value
  }
  return worth - capitalMicroUsd
}

/**
 * The most that an unsettled leaf can cost at current prices: its input against its minimum. One that may
 * only gain costs nothing, because it may also stay unused. Null without prices.
 */
export function worstOf(
  leaf: { tokenIn: Address; tokenOut: Address; amountIn: bigint; minOut: bigint },
  priceOf: BookPriceOf,
): bigint | null {
  const [paid, out] = [priceOf(leaf.tokenIn), priceOf(leaf.tokenOut)]
  if (paid === null || out === null) return null
  const spent = worthUp(leaf.amountIn, markPrice(paid.priceE18, paid.decimals))
  const least = worthDown(leaf.minOut, markPrice(out.priceE18, out.decimals))
  const change = (out.feedless && least > spent ? spent : least) - spent
  return change < 0n ? change : 0n
}

export interface StoredBook {
  [token: Address]: { atoms: string; cost: string }
}
export const storedBook = ({ tokens }: Book): StoredBook =>
  Object.fromEntries(
    [...tokens].map(([token, { atoms, costMicroUsd }]) => [
      token,
      { atoms: atoms.toString(), cost: costMicroUsd.toString() },
    ]),
  )
export const bookOf = (stored: StoredBook, capitalMicroUsd: number): Book => ({
  tokens: new Map(
    Object.entries(stored).map(([token, { atoms, cost }]) => [
      token as Address,
      { atoms: BigInt(atoms), costMicroUsd: BigInt(cost) },
    ]),
  ),
  capitalMicroUsd: BigInt(capitalMicroUsd),
})
