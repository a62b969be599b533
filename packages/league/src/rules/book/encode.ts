import type { Book } from './book.ts'

/** A book as JSON: amounts are decimal text. */
export interface StoredBook {
  held: Record<string, string>
  unmarked: Record<string, [atoms: string, costMicroUsd: string | null]>
  basis: Record<string, string>
  brought: string
  left: string
  capital: string
  seen: string
  unseen: string
  gas: string
  trades: number
  days: number[]
  noGas: number
  unvalued: number
  outliers: number
  overMarks: string
  unmarkedGain: string
  roundTrips: number
  last: [tokenIn: string, tokenOut: string, amountOut: string, atS: number] | null
  sampledTo: number
  peak: string
  maxDdBps: number
  cursor: [minedAtS: number, block: number, id: number] | null
}

export function encodeBook(book: Book): StoredBook {
  const { last, cursor } = book
  const sorted = <T>(map: Map<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = (map: Map<string, bigint>) =>
    Object.fromEntries(sorted(map).map(([token, amount]) => [token, String(amount)]))
  return {
    held: texts(book.held),
    unmarked: Object.fromEntries(
      sorted(book.unmarked).map(([token, { atoms, costMicroUsd }]) => [
        token,
        [String(atoms), costMicroUsd === null ? null : String(costMicroUsd)],
      ]),
    ),
    basis: texts(book.basis),
    brought: String(book.broughtMicroUsd),
    left: String(book.leftMicroUsd),
    capital: String(book.capitalMicroUsd),
    seen: String(book.seenMicroUsd),
    unseen: String(book.unseenMicroUsd),
    gas: String(book.gasWei),
    trades: book.trades,
    days: [...book.days].sort((a, b) => a - b),
    noGas: book.unknownGas,
    unvalued: book.unvaluedTrades,
    outliers: book.outliers,
    overMarks: String(book.overMarksMicroUsd),
    unmarkedGain: String(book.unmarkedGainMicroUsd),
    roundTrips: book.roundTrips,
    last: last && [last.tokenIn, last.tokenOut, String(last.amountOut), last.atS],
    sampledTo: book.sampledToS,
    peak: String(book.peakMicroUsd),
    maxDdBps: book.maxDrawdownBps,
    cursor: cursor && [cursor.minedAtS, cursor.block, cursor.id],
  }
}

export function decodeBook(stored: StoredBook): Book {
  const { last, cursor } = stored
  const amounts = (texts: Record<string, string>) =>
    new Map(Object.entries(texts).map(([token, amount]) => [token, BigInt(amount)]))
  return {
    held: amounts(stored.held),
    unmarked: new Map(
      Object.entries(stored.unmarked).map(([token, [atoms, cost]]) => [
        token,
        { atoms: BigInt(atoms), costMicroUsd: cost === null ? null : BigInt(cost) },
      ]),
    ),
    basis: amounts(stored.basis),
    broughtMicroUsd: BigInt(stored.brought),
    leftMicroUsd: BigInt(stored.left),
    capitalMicroUsd: BigInt(stored.capital),
    seenMicroUsd: BigInt(stored.seen),
    unseenMicroUsd: BigInt(stored.unseen),
    gasWei: BigInt(stored.gas),
    trades: stored.trades,
    days: new Set(stored.days),
    unknownGas: stored.noGas,
    unvaluedTrades: stored.unvalued,
    outliers: stored.outliers,
    overMarksMicroUsd: BigInt(stored.overMarks),
    unmarkedGainMicroUsd: BigInt(stored.unmarkedGain),
    roundTrips: stored.roundTrips,
    last: last && { tokenIn: last[0], tokenOut: last[1], amountOut: BigInt(last[2]), atS: last[3] },
    sampledToS: stored.sampledTo,
    peakMicroUsd: BigInt(stored.peak),
    maxDrawdownBps: stored.maxDdBps,
    cursor: cursor && { minedAtS: cursor[0], block: cursor[1], id: cursor[2] },
  }
}
