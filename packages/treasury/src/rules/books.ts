import type { Address } from '@pit/chain'
import { TREASURY_BUCKETS } from '@pit/protocol'
import type { PerBucket, RowBody, TokenText } from '../types.ts'
import { perBucket } from './split.ts'

/** Sums of one token over the rows. */
export interface TokenBooks extends TokenText {
  received: bigint
  outside: bigint
  trades: number
  carried: bigint
  booked: PerBucket<bigint>
  moved: PerBucket<bigint>
  owed: PerBucket<bigint>
}
export type Books = Map<Address, TokenBooks>

export const emptyBooks = (text: TokenText): TokenBooks => ({
  ...text,
  received: 0n,
  outside: 0n,
  trades: 0,
  carried: 0n,
  booked: perBucket(() => 0n),
  moved: perBucket(() => 0n),
  owed: perBucket(() => 0n),
})

/** The books after these rows, oldest first. A row leaves tokens it does not list unchanged. */
export function booksOf(rows: readonly Pick<RowBody, 'tokens'>[]): Books {
  const books: Books = new Map()
  for (const row of rows) addRow(books, row)
  return books
}

export function addRow(books: Books, { tokens }: Pick<RowBody, 'tokens'>): void {
  for (const line of tokens) {
    const token = line.token as Address
    const own = books.get(token) ?? emptyBooks({ token, symbol: line.symbol, decimals: line.decimals })
    own.received += BigInt(line.received)
    own.outside += BigInt(line.outside)
    own.trades += line.trades
    own.carried = BigInt(line.carried_out)
    for (const bucket of TREASURY_BUCKETS) {
      own.booked[bucket] += BigInt(line.booked[bucket])
      own.moved[bucket] += BigInt(line.moved[bucket])
      own.owed[bucket] = BigInt(line.owed_out[bucket])
    }
    books.set(token, own)
  }
}
