import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FeeClass } from '@pit/protocol'
import type { PaperFill } from './types.ts'

/** Opens a book with its start balance in USDG; returns the existing id if the owner has one. */
export async function insertBook(
  sql: Sql,
  book: { owner: string; startMicroUsd: bigint; startAtoms: bigint; usdg: Address; atS: number },
): Promise<number> {
  const [inserted] = await sql.query<{ id: number }>(
    `with book as (
       insert into paper_books (owner, start_micro_usd, opened_at_s) values ($1, $2, $3)
       on conflict (owner) do nothing returning id
     ), cash as (
       insert into paper_balances (book_id, token, atoms) select id, $4, $5 from book
     )
     select id from book`,
    [book.owner, book.startMicroUsd, book.atS, book.usdg, book.startAtoms],
  )
  if (inserted) return inserted.id
  const [existing] = await sql.query<{ id: number }>('select id from paper_books where owner = $1', [
    book.owner,
  ])
  if (!existing) throw new Error(`the book of ${book.owner} was neither created nor found`)
  return existing.id
}

/**
 * Locks the book until the transaction ends. A separate statement, so that later reads see the last holder's
 * changes.
 */
export async function lockBook(sql: Sql, bookId: number): Promise<boolean> {
  const rows = await sql.query('select 1 from paper_books where id = $1 for update', [bookId])
  return rows.length > 0
}

export async function readBalances(
  sql: Sql,
  bookId: number,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, bigint>> {
  const rows = await sql.query<{ token: Address; atoms: string }>(
    'select token, atoms from paper_balances where book_id = $1 and token = any($2)',
    [bookId, tokens],
  )
  return new Map(rows.map(({ token, atoms }) => [token, BigInt(atoms)]))
}

/** Stores the fill and the resulting balances in one statement. */
export async function insertFill(
  sql: Sql,
  fill: Omit<PaperFill, 'id'>,
  after: ReadonlyMap<Address, bigint>,
): Promise<number> {
  const [row] = await sql.query<{ id: number }>(
    `with left_over as (
       insert into paper_balances (book_id, token, atoms)
       select $1, token, atoms from unnest($2::text[], $3::numeric[]) as given (token, atoms)
       on conflict (book_id, token) do update set atoms = excluded.atoms
     )
     insert into paper_fills (book_id, token_in, token_out, amount_in, amount_out, micro_usd, fee_bps,
       fee_class, fee_tier, fee_token, fee_atoms, gas_micro_usd, gas_usdg_atoms, route_id, block,
       filled_at_ms)
     values ($1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) returning id`,
    [
      fill.bookId,
      [...after.keys()],
      [...after.values()].map(String),
      fill.tokenIn,
      fill.tokenOut,
      fill.amountIn,
      fill.amountOut,
      fill.microUsd,
      fill.fee.bps,
      fill.fee.class,
      fill.fee.tier,
      fill.fee.token,
      fill.fee.atoms,
      fill.gasMicroUsd,
      fill.gasUsdgAtoms,
      fill.routeId,
      fill.block,
      fill.filledAtMs,
    ],
  )
  return row!.id
}

interface FillRow {
  id: number
  book_id: number
  token_in: Address
  token_out: Address
  amount_in: string
  amount_out: string
  micro_usd: number
  fee_bps: number
  fee_class: FeeClass
  fee_tier: number
  fee_token: Address
  fee_atoms: string
  gas_micro_usd: number
  gas_usdg_atoms: string
  route_id: string
  block: number
  filled_at_ms: number
}

export async function listFills(
  sql: Sql,
  bookId: number,
  { limit, before }: { limit: number; before?: number },
): Promise<PaperFill[]> {
  const rows = await sql.query<FillRow>(
    `select * from paper_fills where book_id = $1 and ($2::int8 is null or id < $2)
     order by id desc limit $3`,
    [bookId, before ?? null, limit],
  )
  return rows.map((row) => ({
    id: row.id,
    bookId: row.book_id,
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    amountIn: BigInt(row.amount_in),
    amountOut: BigInt(row.amount_out),
    microUsd: BigInt(row.micro_usd),
    fee: {
      bps: row.fee_bps,
      class: row.fee_class,
      tier: row.fee_tier,
      token: row.fee_token,
      atoms: BigInt(row.fee_atoms),
    },
    gasMicroUsd: BigInt(row.gas_micro_usd),
    gasUsdgAtoms: BigInt(row.gas_usdg_atoms),
    routeId: row.route_id,
    block: row.block,
    filledAtMs: row.filled_at_ms,
  }))
}

const FILLS_KEPT_MS = 90 * 86_400_000
const FILLS_AT_ONCE = 5_000

/** Deletes fills older than 90 days, in batches; balances are kept. */
export async function sweepFills(sql: Sql, nowMs: number): Promise<number> {
  const deleted = await sql.query(
    `delete from paper_fills where id = any (array(
       select id from paper_fills where filled_at_ms < $1 order by filled_at_ms limit $2)) returning 1`,
    [nowMs - FILLS_KEPT_MS, FILLS_AT_ONCE],
  )
  return deleted.length
}

export interface BookRow {
  id: number
  start_micro_usd: number
  opened_at_s: number
  tokens: Address[]
  /** In the order of `tokens`. */
  atoms: string[]
}

/** Many books in one read, each with its holdings. */
export const readBooks = (sql: Sql, bookIds: readonly number[]): Promise<BookRow[]> =>
  sql.query<BookRow>(
    `select b.id, b.start_micro_usd, b.opened_at_s,
       coalesce(array_agg(h.token order by h.token) filter (where h.token is not null), '{}') as tokens,
       coalesce(array_agg(h.atoms::text order by h.token) filter (where h.token is not null), '{}') as atoms
     from paper_books b left join paper_balances h on h.book_id = b.id and h.atoms > 0
     where b.id = any($1) group by b.id`,
    [bookIds],
  )

/** Updates each book's peak and its largest relative drawdown. */
export async function keepFalls(
  sql: Sql,
  rows: readonly { bookId: number; microUsd: bigint }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `with now as (
       select b.id, given.micro_usd, greatest(b.high_micro_usd, given.micro_usd) as high,
         greatest(b.high_micro_usd, given.micro_usd, b.start_micro_usd) as peak
       from paper_books b join unnest($1::int8[], $2::int8[]) as given (id, micro_usd) on given.id = b.id
       order by b.id for update of b
     ), deeper as (
       select b.id from now join paper_books b on b.id = now.id
       where b.fall_micro_usd is null or b.fall_from_micro_usd = 0
         or (now.high - now.micro_usd)::numeric * b.fall_from_micro_usd > b.fall_micro_usd::numeric *
           now.high)
     update paper_books b set high_micro_usd = now.high,
       fall_micro_usd = case when deeper.id is null then fall_micro_usd else now.high - now.micro_usd end,
       fall_from_micro_usd = case when deeper.id is null then fall_from_micro_usd else now.high end,
       max_fall_bps = greatest(max_fall_bps, ((now.peak - now.micro_usd) * 10000 / now.peak)::int4)
     from now left join deeper on deeper.id = now.id where b.id = now.id`,
    [rows.map(({ bookId }) => bookId), rows.map(({ microUsd }) => microUsd.toString())],
  )
}

/** Max drawdown of a book; null if it was never valued. */
export async function readFall(
  sql: Sql,
  bookId: number,
): Promise<{ microUsd: bigint; fromMicroUsd: bigint } | null> {
  const [row] = await sql.query<{ fall: string; high: string }>(
    `select fall_micro_usd::text as fall, fall_from_micro_usd::text as high from paper_books
     where id = $1 and fall_micro_usd is not null`,
    [bookId],
  )
  return row ? { microUsd: BigInt(row.fall), fromMicroUsd: BigInt(row.high) } : null
}
