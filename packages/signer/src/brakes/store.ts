import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { type Book, bookOf, EMPTY_BOOK, type StoredBook, storedBook } from './book.ts'
import {
  type Breaker,
  type BreakerState,
  breakerOf,
  newBreaker,
  type StoredBreaker,
  storedBreaker,
} from './breaker.ts'

export interface BookState {
  book: Book
  /** One for each breaker of the binding, in its order. */
  breakers: readonly BreakerState[]
}

export interface BookRow {
  book: StoredBook
  capital_micro_usd: number
  breakers: StoredBreaker[]
}

/** A new book before the session's first trade. */
export const bookStateOf = (row: BookRow | null, breakers: readonly Breaker[], atMs: number): BookState =>
  row === null
    ? { book: EMPTY_BOOK, breakers: breakers.map((one) => newBreaker(one, atMs)) }
    : { book: bookOf(row.book, row.capital_micro_usd), breakers: row.breakers.map(breakerOf) }

export async function readBook(
  sql: Sql,
  rootHash: Hex,
  { breakers, atMs }: { breakers: readonly Breaker[]; atMs: number },
): Promise<BookState> {
  const [row] = await sql.query<BookRow>(
    'select book, capital_micro_usd, breakers from session_books where root_hash = $1',
    [rootHash],
  )
  return bookStateOf(row ?? null, breakers, atMs)
}

/** With the root's row locked. */
export async function putBook(
  sql: Sql,
  rootHash: Hex,
  { book, breakers }: BookState,
  atMs: number,
): Promise<void> {
  await sql.query(
    `insert into session_books (root_hash, book, capital_micro_usd, breakers, updated_at_ms)
     values ($1, $2, $3, $4, $5) on conflict (root_hash) do update
     set book = $2, capital_micro_usd = $3, breakers = $4, updated_at_ms = $5`,
    [
      rootHash,
      JSON.stringify(storedBook(book)),
      book.capitalMicroUsd,
      JSON.stringify(breakers.map(storedBreaker)),
      atMs,
    ],
  )
}

/** Books of sessions that can still trade. */
export const bookedRoots = async (sql: Sql, nowS: number): Promise<Hex[]> =>
  (
    await sql.query<{ root_hash: Hex }>(
      `select b.root_hash from session_books b join roots r on r.hash = b.root_hash
       where (r.binding ->> 'expires_at')::int8 > $1
         and not exists (select from revocations v where v.root_hash = b.root_hash)
       order by b.root_hash`,
      [nowS],
    )
  ).map(({ root_hash }) => root_hash)
