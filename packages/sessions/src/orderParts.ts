import type { Hex } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import { SESSION } from '@pit/protocol'
import type { OrderUse } from '@pit/signer-wire'
import type { OrderBounds } from '@pit/trading'
import { namedValues, type Settling } from './spend.ts'
import type { Session, Used } from './types.ts'

/**
 * Trades of signed orders. While the leaf of a part may still be sent, the co-signer signs another call of the
 * part under the same sequence; such a repetition shares the first one's count.
 */

/** The counted trade of a part whose leaf may still be sent. */
export interface OpenPart {
  id: number
  microUsd: bigint
}

const partOf = ({ id, part }: OrderUse): string => `${id}:${part}`

export async function findOpenPart(
  sql: Sql,
  { sessionId, order, nowMs }: { sessionId: string; order: OrderUse; nowMs: number },
): Promise<OpenPart | null> {
  const [row] = await sql.query<{ id: number; micro_usd: number }>(
    `select id, micro_usd from session_trades
     where session_id = $1 and order_part = $2 and created_at_ms > $3 order by id desc limit 1`,
    [sessionId, partOf(order), nowMs - SESSION.leafTtlS * 1_000],
  )
  return row ? { id: row.id, microUsd: BigInt(row.micro_usd) } : null
}

/** Stores the bounds of registered orders, by id. */
export async function addOrders(
  sql: Sql,
  sessionId: string,
  orders: ReadonlyMap<Hex, OrderBounds>,
): Promise<void> {
  const bounds = [...orders.values()]
  await sql.query(
    `insert into session_orders (id, session_id, amount_in, min_amount_out, max_slippage_bps)
     select id, $1, amount_in, min_amount_out, bps
     from unnest($2::text[], $3::numeric[], $4::numeric[], $5::int4[])
       as given (id, amount_in, min_amount_out, bps) on conflict do nothing`,
    [
      sessionId,
      [...orders.keys()],
      bounds.map(({ amountIn }) => amountIn.toString()),
      bounds.map(({ minAmountOut }) => minAmountOut.toString()),
      bounds.map(({ maxSlippageBps }) => maxSlippageBps),
    ],
  )
}

/** Undefined for an order that was not registered here. */
export async function findOrderBounds(
  sql: Sql,
  sessionId: string,
  { id }: OrderUse,
): Promise<OrderBounds | undefined> {
  const [row] = await sql.query<{ amount_in: string; min_amount_out: string; max_slippage_bps: number }>(
    `select amount_in::text, min_amount_out::text, max_slippage_bps from session_orders
     where id = $1 and session_id = $2`,
    [id, sessionId],
  )
  return (
    row && {
      amountIn: BigInt(row.amount_in),
      minAmountOut: BigInt(row.min_amount_out),
      maxSlippageBps: row.max_slippage_bps,
    }
  )
}

/** Usage besides this part. */
export const usedBesides = (used: Used, part: OpenPart | null): Used =>
  part ? { trades: used.trades - 1, dayMicroUsd: used.dayMicroUsd - part.microUsd } : used

/** Names the part of a trade that was just counted. */
export async function markPart(sql: Sql, id: number, order: OrderUse): Promise<void> {
  await sql.query('update session_trades set order_part = $2 where id = $1', [id, partOf(order)])
}

/**
 * Stores the co-signer's count of an order's trade. One row per sequence: a repetition counts at the largest
 * amount and from its own time. Returns the session's current status, which may be revoked.
 */
export function settlePart(
  db: Db,
  { id, sessionId, named, order, leaf }: Settling & { order: OrderUse },
): Promise<Session['status']> {
  return db.transaction(async (sql) => {
    const [session] = await sql.query<Pick<Session, 'status'>>(
      'select status from sessions where id = $1 for update',
      [sessionId],
    )
    if (!session) return 'revoked'
    const rows = await sql.query<{ id: number; sequence: number | null }>(
      'select id, sequence from session_trades where session_id = $1 and (id = $2 or sequence = $3)',
      [sessionId, id, leaf.sequence],
    )
    const signed = rows.find(({ sequence }) => sequence === leaf.sequence)
    const reserved = rows.find(({ sequence }) => sequence === null)
    const values = [leaf.sequence, leaf.hash, leaf.microUsd, leaf.atMs, partOf(order)]
    if (signed) {
      await sql.query(
        `update session_trades set leaf_hash = $2, micro_usd = greatest(micro_usd, $3), created_at_ms = $4
         where id = $1`,
        [signed.id, leaf.hash, leaf.microUsd, leaf.atMs],
      )
      if (reserved) await sql.query('delete from session_trades where id = $1', [reserved.id])
    } else if (reserved) {
      await sql.query(
        `update session_trades set status = 'signed', sequence = $2, leaf_hash = $3, micro_usd = $4,
           created_at_ms = $5, order_part = $6 where id = $1`,
        [reserved.id, ...values],
      )
    } else {
      await sql.query(
        `insert into session_trades (session_id, status, sequence, leaf_hash, micro_usd, created_at_ms,
           order_part, client_id, request_hash, key_id, draft)
         values ($1, 'signed', $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
        [sessionId, ...values, ...namedValues(named)],
      )
    }
    return session.status
  })
}
