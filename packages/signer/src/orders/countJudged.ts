import type { Sql } from '@pit/platform/db'
import { type Breaker, newBreaker, storedBreaker } from '../brakes/breaker.ts'
import type { Trade } from '../leaves/types.ts'
import { type CountedRow, SPEND_WINDOW_MS, verdictOf, worthOf } from '../ledger/countLeaves.ts'
import type { LeafRequest, LeafVerdict } from '../ledger/types.ts'

export interface JudgedLeaf {
  /** With the failures of every rule but the ledger's. */
  request: LeafRequest
  /** The root's state that was judged; null if none was read. */
  state: { version: number; sequence: number } | null
  atMs: number
  /** Null if the call could not be read. */
  leaf: {
    orderId: string | null
    part: number
    trade: Trade
    /** Null if only the minimum counts. */
    mostOut: bigint | null
    expiresS: number
  } | null
  /** Of the session; null without any. */
  breakers: readonly Breaker[] | null
}

/** Counts a leaf of a session with controls in one statement; null if the root is no longer in that state. */
export async function countJudged(
  sql: Sql,
  { request, state, atMs, leaf, breakers }: JudgedLeaf,
): Promise<LeafVerdict | null> {
  const { rootHash, failures, touchesStock, limits, sequence, executionHash, callNonce, clientId } = request
  const [row] = await sql.query<CountedRow & { is_current: boolean }>(
    `select * from count_controlled($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
       $19, $20, $21, $22, $23)`,
    [
      rootHash,
      state?.version ?? null,
      state?.sequence ?? null,
      worthOf(request),
      failures.length === 0,
      touchesStock,
      limits.max_trades,
      limits.max_day_micro_usd,
      sequence ?? null,
      executionHash,
      callNonce,
      clientId ?? null,
      atMs,
      SPEND_WINDOW_MS,
      leaf?.orderId ?? null,
      leaf?.part ?? null,
      leaf?.trade.tokenIn ?? null,
      leaf?.trade.tokenOut ?? null,
      leaf?.trade.amountIn ?? null,
      leaf?.trade.amountOutMin ?? null,
      leaf?.mostOut ?? null,
      leaf?.expiresS ?? null,
      // From the first trade on there is a book, so that a loss is measured from zero.
      breakers && (state === null || state.sequence === 0)
        ? JSON.stringify(breakers.map((one) => storedBreaker(newBreaker(one, atMs))))
        : null,
    ],
    { prepared: true },
  )
  return row!.is_current ? verdictOf(request, row!, atMs) : null
}
