import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { DAY_S } from '@pit/protocol'

/** Performance of a book: current holdings, fills before a time, and max drawdown. */
export interface BookRun {
  startMicroUsd: bigint
  held: Map<Address, bigint>
  fills: number
  activeDays: number
  maxDrawdownBps: number
}

/** Reads many books in one query. */
export async function readRuns(
  sql: Sql,
  bookIds: readonly number[],
  beforeMs: number,
): Promise<Map<number, BookRun>> {
  const rows = await sql.query<{
    id: number
    start_micro_usd: number
    tokens: Address[]
    atoms: string[]
    fills: number
    active_days: number
    max_dd_bps: number
  }>(
    `select b.id, b.start_micro_usd, coalesce(held.tokens, '{}') as tokens,
       coalesce(held.atoms, '{}') as atoms, coalesce(f.fills, 0) as fills,
       coalesce(f.active_days, 0) as active_days, b.max_fall_bps as max_dd_bps
     from paper_books b
     left join lateral (
       select array_agg(token order by token) as tokens, array_agg(x.atoms::text order by token) as atoms
       from paper_balances x where x.book_id = b.id and x.atoms > 0) held on true
     left join lateral (
       select count(*)::int4 as fills, count(distinct filled_at_ms / 1000 / ${DAY_S})::int4 as active_days
       from paper_fills y where y.book_id = b.id and y.filled_at_ms < $2) f on true
     where b.id = any($1::int8[])`,
    [bookIds, beforeMs],
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        startMicroUsd: BigInt(row.start_micro_usd),
        held: new Map(row.tokens.map((token, i) => [token, BigInt(row.atoms[i]!)])),
        fills: row.fills,
        activeDays: row.active_days,
        maxDrawdownBps: row.max_dd_bps,
      },
    ]),
  )
}

/** Token movements of a fill. */
export interface FillMoves {
  bookId: number
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOut: bigint
  gasUsdgAtoms: bigint
}

/** Fills of these books since a time. */
export async function fillsSince(sql: Sql, bookIds: readonly number[], fromMs: number): Promise<FillMoves[]> {
  const rows = await sql.query<{
    book_id: number
    token_in: Address
    token_out: Address
    amount_in: string
    amount_out: string
    gas_usdg_atoms: string
  }>(
    `select book_id, token_in, token_out, amount_in, amount_out, gas_usdg_atoms from paper_fills
     where book_id = any($1::int8[]) and filled_at_ms >= $2`,
    [bookIds, fromMs],
  )
  return rows.map((row) => ({
    bookId: row.book_id,
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    amountIn: BigInt(row.amount_in),
    amountOut: BigInt(row.amount_out),
    gasUsdgAtoms: BigInt(row.gas_usdg_atoms),
  }))
}
