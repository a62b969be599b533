import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { DAY_MS, type FeeClass } from '@pit/protocol'
import { isUnderWay, type TradeNow, tradesByHash } from '@pit/relay'
import type { TradeFee } from '../types.ts'
import type { OpenOrder } from './types.ts'

/** Statuses that count towards max_day_usd: all except held and failed orders. */
const COUNTED = `('intended', 'signed', 'relayed', 'filled')`

export async function dayUseOf(
  sql: Sql,
  agentIds: readonly string[],
  nowMs: number,
): Promise<Map<string, bigint>> {
  const rows = await sql.query<{ agent_id: string; used: string }>(
    `select agent_id, sum(micro_usd)::text as used from hosted_orders
     where agent_id = any($1) and created_at_ms > $2 and status in ${COUNTED} group by agent_id`,
    [agentIds, nowMs - DAY_MS],
  )
  return new Map(rows.map(({ agent_id, used }) => [agent_id, BigInt(used)]))
}

interface OpenRow {
  id: number
  agent_id: string
  tick: number
  n: number
  pair: string
  side: 'buy' | 'sell'
  micro_usd: number
  status: OpenOrder['status']
  tx_hash: Hex | null
  created_at_ms: number
  fee_bps: number | null
  fee_class: FeeClass | null
  fee_tier: number | null
  signed_order_id: Hex | null
}

const OPEN = `select id, agent_id, tick, n, pair, side, micro_usd, status, tx_hash, created_at_ms, fee_bps,
  fee_class, fee_tier, signed_order_id
  from hosted_orders where status in ('intended', 'signed', 'relayed')`

/** Adds the relay's record of each order. */
async function openOf(sql: Sql, rows: readonly OpenRow[]): Promise<OpenOrder[]> {
  const trades = await tradesByHash(
    sql,
    rows.flatMap(({ tx_hash }) => tx_hash ?? []),
  )
  return rows.map((row) => orderOf(row, row.tx_hash === null ? undefined : trades.get(row.tx_hash)))
}

const orderOf = (row: OpenRow, trade: TradeNow | undefined): OpenOrder => ({
  id: row.id,
  agentId: row.agent_id,
  tick: row.tick,
  n: row.n,
  pair: row.pair,
  side: row.side,
  microUsd: BigInt(row.micro_usd),
  status: row.status,
  txHash: row.tx_hash,
  createdAtMs: row.created_at_ms,
  fee: feeOf(row, trade),
  trade: trade ?? null,
  signedOrderId: row.signed_order_id,
})

/** Orders signed before fees were stored with them use the relay's fee. */
const feeOf = (
  { fee_bps: bps, fee_class, fee_tier }: OpenRow,
  trade: TradeNow | undefined,
): TradeFee | null => (bps === null ? (trade?.fee ?? null) : { bps, class: fee_class!, tier: fee_tier! })

/** Open orders of earlier ticks of these agents. */
export async function openOrdersOf(sql: Sql, agentIds: readonly string[]): Promise<OpenOrder[]> {
  return openOf(sql, await sql.query<OpenRow>(`${OPEN} and agent_id = any($1)`, [agentIds]))
}

/** Open orders of agents that no longer tick, or have not for a while. */
export async function oldOpenOrders(sql: Sql, beforeMs: number, limit: number): Promise<OpenOrder[]> {
  const rows = await sql.query<OpenRow>(`${OPEN} and created_at_ms < $1 order by id limit $2`, [
    beforeMs,
    limit,
  ])
  return openOf(sql, rows)
}

/**
 * Creation time of the newest signed order whose trade has not been mined, in milliseconds; null without one.
 */
export async function lastUnlanded(sql: Sql, agentId: string): Promise<number | null> {
  const orders = await sql.query<{ tx_hash: Hex | null; created_at_ms: number }>(
    `select tx_hash, created_at_ms from hosted_orders
     where agent_id = $1 and status in ('signed', 'relayed')`,
    [agentId],
  )
  const trades = await tradesByHash(
    sql,
    orders.flatMap(({ tx_hash }) => tx_hash ?? []),
  )
  const unlanded = orders.filter(({ tx_hash }) => {
    const trade = tx_hash === null ? undefined : trades.get(tx_hash)
    return trade === undefined || isUnderWay(trade)
  })
  return unlanded.reduce<number | null>((last, { created_at_ms }) => Math.max(last ?? 0, created_at_ms), null)
}

export interface OrderEnd {
  status: 'signed' | 'relayed' | 'filled' | 'held' | 'failed'
  code?: string
  txHash?: Hex
  tradeId?: number
  fillId?: number
  fee?: TradeFee
  /** Of a part of a signed order. */
  amountOut?: bigint | null
  leafSequence?: number
  settledAtS?: number
  why?: string | undefined
}

/**
 * Changes an order's status only from exactly this state; returns false if another worker was first. This
 * keeps an order from being executed twice, even if a lease was lost.
 */
export async function moveOrder(
  sql: Sql,
  id: number,
  from: OpenOrder['status'],
  { status, code, txHash, tradeId, fillId, fee, amountOut, leafSequence, settledAtS, why }: OrderEnd,
): Promise<boolean> {
  const rows = await sql.query(
    `update hosted_orders set status = $3, code = coalesce($4, code), tx_hash = coalesce($5, tx_hash),
       trade_id = coalesce($6, trade_id), fill_id = coalesce($7, fill_id), fee_bps = coalesce($8, fee_bps),
       fee_class = coalesce($9, fee_class), fee_tier = coalesce($10, fee_tier),
       amount_out = coalesce($11::numeric, amount_out), leaf_sequence = coalesce($12, leaf_sequence),
       settled_at_s = coalesce($13, settled_at_s), why = coalesce($14, why)
     where id = $1 and status = $2 returning id`,
    [
      id,
      from,
      status,
      code ?? null,
      txHash ?? null,
      tradeId ?? null,
      fillId ?? null,
      fee?.bps ?? null,
      fee?.class ?? null,
      fee?.tier ?? null,
      amountOut?.toString() ?? null,
      leafSequence ?? null,
      settledAtS ?? null,
      why ?? null,
    ],
  )
  return rows.length === 1
}

const KEPT_MS = 30 * DAY_MS
/** Attempts at signed orders, of which there may be one a minute. */
const ATTEMPTS_KEPT_MS = DAY_MS

/** Deletes orders that ended long ago, in batches. Fills of signed orders stay as long as those. */
export async function sweepOrders(sql: Sql, nowMs: number, limit: number): Promise<number> {
  await sql.query(
    `delete from hosted_orders where id in (
       select id from hosted_orders
       where signed_order_id is not null and status in ('held', 'failed') and created_at_ms < $1
       order by created_at_ms limit $2)`,
    [nowMs - ATTEMPTS_KEPT_MS, limit],
  )
  const rows = await sql.query(
    `delete from hosted_orders where id in (
       select id from hosted_orders h where created_at_ms < $1 and status in ('filled', 'held', 'failed')
         and (signed_order_id is null or not exists (
           select 1 from signed_orders o where o.agent_id = h.agent_id and o.id = h.signed_order_id))
       order by created_at_ms limit $2) returning id`,
    [nowMs - KEPT_MS, limit],
  )
  return rows.length
}
