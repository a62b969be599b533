import { divide } from './lots.ts'
import type { TokenBook } from './tokenBook.ts'
import type { Address, Move, Prices, ReportTransaction, ValuedBy } from './types.ts'

/** A transaction's net moves by side; all atoms above zero. */
export interface Sides {
  gave: Move[]
  received: Move[]
  paidCashMicroUsd: bigint
  gotCashMicroUsd: bigint
  /** ETH to WETH or back, equal on both sides. */
  wrapped: { from: Address; to: Address; atoms: bigint } | null
}

export function sidesOf({ moves }: ReportTransaction, book: TokenBook): Sides {
  const net = new Map<Address, bigint>()
  for (const { token, atoms } of moves) net.set(token, (net.get(token) ?? 0n) + atoms)
  const wrapped = takeWrapped(net, book)
  const sides: Sides = { gave: [], received: [], paidCashMicroUsd: 0n, gotCashMicroUsd: 0n, wrapped }
  for (const token of [...net.keys()].sort()) {
    const atoms = net.get(token)!
    if (atoms === 0n) continue
    const move = { token, atoms: atoms < 0n ? -atoms : atoms }
    if (!book.isCash(token)) sides[atoms < 0n ? 'gave' : 'received'].push(move)
    else if (atoms < 0n) sides.paidCashMicroUsd += book.worth(token, move.atoms, {})!
    else sides.gotCashMicroUsd += book.worth(token, move.atoms, {})!
  }
  return sides
}

/** Takes ETH that became WETH, or back, out of net moves. */
export function takeWrapped(net: Map<Address, bigint>, book: TokenBook): Sides['wrapped'] {
  let [from, to]: [Address | null, Address | null] = [null, null]
  for (const [token, atoms] of net) {
    if (!book.isEther(token)) continue
    if (atoms < 0n) from ??= token
    else if (atoms > 0n) to ??= token
  }
  if (from === null || to === null) return null
  const [left, came] = [net.get(from)!, net.get(to)!]
  const atoms = came < -left ? came : -left
  net.set(from, left + atoms)
  net.set(to, came - atoms)
  return { from, to, atoms }
}

/** Both sides of a trade in dollars, for each token; null where unknown. */
export interface Valued {
  gave: (bigint | null)[]
  received: (bigint | null)[]
  valuedBy: ValuedBy | null
}

/** By the cash end; else by the price of the received, then of the given tokens, fresh prices before stale ones. */
export function valueTrade(sides: Sides, prices: Prices, book: TokenBook): Valued {
  const { gave, received, paidCashMicroUsd: paid, gotCashMicroUsd: got } = sides
  const both = (gaveMicroUsd: bigint, receivedMicroUsd: bigint, valuedBy: ValuedBy): Valued => ({
    gave: allocate(notNegative(gaveMicroUsd), gave, prices, book),
    received: allocate(notNegative(receivedMicroUsd), received, prices, book),
    valuedBy,
  })
  if (gave.length === 0 || received.length === 0) return both(got - paid, paid - got, 'cash')
  for (const onlyFresh of [true, false]) {
    const receivedWorth = worthOf(received, prices, book, onlyFresh)
    if (receivedWorth !== null) return both(receivedWorth + got - paid, receivedWorth, 'received_price')
    const gaveWorth = worthOf(gave, prices, book, onlyFresh)
    if (gaveWorth !== null) return both(gaveWorth, gaveWorth + paid - got, 'given_price')
  }
  return { gave: gave.map(() => null), received: received.map(() => null), valuedBy: null }
}

function worthOf(moves: readonly Move[], prices: Prices, book: TokenBook, onlyFresh: boolean): bigint | null {
  let sum = 0n
  for (const { token, atoms } of moves) {
    const worth = onlyFresh && prices[token]?.stale ? null : book.worth(token, atoms, prices)
    if (worth === null) return null
    sum += worth
  }
  return sum
}

/** A side's value for its tokens, by their prices. One token without a price gets the remainder. */
function allocate(total: bigint, moves: readonly Move[], prices: Prices, book: TokenBook): (bigint | null)[] {
  if (moves.length === 1) return [total]
  const worths = moves.map(({ token, atoms }) => book.worth(token, atoms, prices))
  const unpriced = worths.filter((worth) => worth === null).length
  if (unpriced > 1) return worths.map(() => null)
  const priced = worths.reduce<bigint>((sum, worth) => sum + (worth ?? 0n), 0n)
  const rest = unpriced === 1 ? notNegative(total - priced) : 0n
  return divide(
    total,
    worths.map((worth) => worth ?? rest),
  )
}

const notNegative = (amount: bigint): bigint => (amount < 0n ? 0n : amount)
