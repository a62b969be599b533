import type { Sql } from '@pit/platform/db'
import {
  type BookNumbers,
  type Copying,
  decodeBook,
  encodeBook,
  findCopies,
  numbersOf,
  type SeasonSpan,
  type SeenSwap,
  sampleTo,
} from '../rules/index.ts'
import type { MarkBook } from './marks.ts'
import { readSeen } from './seen.ts'
import { saveBooks } from './store.ts'

const BOOKS_PER_PAGE = 1_000
const SWAPS_PER_PAGE = 20_000

/** A book's final numbers as JSON; amounts are decimal text. */
export type StoredNumbers = Omit<
  BookNumbers,
  'profitMicroUsd' | 'capitalMicroUsd' | 'beyondMarksMicroUsd' | 'unseenMicroUsd'
> & {
  beyondMarksMicroUsd: string
  unseenMicroUsd: string
  profitMicroUsd: string | null
  capitalMicroUsd: string
}

export const encodeNumbers = (numbers: BookNumbers): StoredNumbers => ({
  ...numbers,
  profitMicroUsd: numbers.profitMicroUsd?.toString() ?? null,
  capitalMicroUsd: numbers.capitalMicroUsd.toString(),
  beyondMarksMicroUsd: numbers.beyondMarksMicroUsd.toString(),
  unseenMicroUsd: numbers.unseenMicroUsd.toString(),
})

export const decodeNumbers = (stored: StoredNumbers): BookNumbers => ({
  ...stored,
  profitMicroUsd: stored.profitMicroUsd === null ? null : BigInt(stored.profitMicroUsd),
  capitalMicroUsd: BigInt(stored.capitalMicroUsd),
  beyondMarksMicroUsd: BigInt(stored.beyondMarksMicroUsd),
  unseenMicroUsd: BigInt(stored.unseenMicroUsd),
})

/** Values every book of a season as of its end; in the transaction that makes the season provisional. */
export async function closeBooks(sql: Sql, marks: MarkBook, span: SeasonSpan, nowS: number): Promise<void> {
  const market = await marks.read(sql, {
    hours: { fromS: span.startsAtS, toS: span.endsAtS },
    endsAtS: span.endsAtS,
    nowS,
  })
  const copies = findCopies(await readSwaps(sql, span.number))
  for (let after = 0; ; ) {
    const rows = await sql.query<{ entry_id: number; book: Parameters<typeof decodeBook>[0] }>(
      `select entry_id, book from league_books where season = $1 and entry_id > $2 order by entry_id
       limit $3`,
      [span.number, after, BOOKS_PER_PAGE],
    )
    if (rows.length === 0) return
    after = rows[rows.length - 1]!.entry_id
    const books = rows.map(({ entry_id: entryId, book }) => ({ entryId, book: decodeBook(book) }))
    const seen = await readSeen(sql, span.number, {
      entryIds: books.map(({ entryId }) => entryId),
      afterS: Math.min(span.endsAtS - 1, ...books.map(({ book }) => book.sampledToS)),
    })
    const closed = books.map(({ entryId, book }) => {
      sampleTo(book, span.endsAtS, market, seen(entryId))
      const numbers = numbersOf(book, span.endsAtS, market, 'ended', seen(entryId))
      return { entryId, book: encodeBook(book), numbers }
    })
    await saveBooks(sql, span.number, closed)
    await sql.query(
      `update league_books b set numbers = given.numbers::jsonb, copying = given.copying::jsonb
       from unnest($2::int8[], $3::text[], $4::text[]) as given (entry_id, numbers, copying)
       where b.season = $1 and b.entry_id = given.entry_id`,
      [
        span.number,
        closed.map(({ entryId }) => entryId),
        closed.map(({ numbers }) => JSON.stringify(encodeNumbers(numbers))),
        closed.map(({ entryId }) => textOf(copies.get(entryId))),
      ],
    )
  }
}

const textOf = (copying: Copying | undefined): string | null =>
  copying === undefined ? null : JSON.stringify(copying)

/** Every swap of a season. Equal token texts share one string, to save memory. */
async function readSwaps(sql: Sql, season: number): Promise<SeenSwap[]> {
  const texts = new Map<string, string>()
  const once = (text: string): string => {
    const first = texts.get(text)
    if (first !== undefined) return first
    texts.set(text, text)
    return text
  }
  const swaps: SeenSwap[] = []
  for (let after = 0; ; ) {
    const rows = await sql.query<{
      trade_id: number
      entry_id: number
      mined_at_s: number
      block: number
      token_in: string
      token_out: string
    }>(
      `select trade_id, entry_id, mined_at_s, block, token_in, token_out from league_trades
       where season = $1 and token_in is not null and trade_id > $2 order by trade_id limit $3`,
      [season, after, SWAPS_PER_PAGE],
    )
    for (const row of rows) {
      swaps.push({
        entryId: row.entry_id,
        atS: row.mined_at_s,
        block: row.block,
        id: row.trade_id,
        tokenIn: once(row.token_in),
        tokenOut: once(row.token_out),
      })
    }
    if (rows.length < SWAPS_PER_PAGE) return swaps
    after = rows[rows.length - 1]!.trade_id
  }
}
