import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FeeClass } from '@pit/protocol'
import { isUnderWay, type TradeNow, tradesByHash } from '@pit/relay'
import type { TradeFee } from '../types.ts'
import type { OpenOrder } from './types.ts'

/** What counts towards max_day_usd: whatever was begun and did not come to nothing. */
const COUNTED = `('intended', 'signed', 'relayed', 'filled')`
const DAY_MS = 86_400_000

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
}

const OPEN = `select id, agent_id, tick, n, pair, side, micro_usd, status, tx_hash, created_at_ms, fee_bps,
  fee_class, fee_tier
  from hosted_orders where status in ('intended', 'signed', 'relayed')`

/** With what the relay knows of each. */
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
})

/** Orders signed before fees were kept with them have the relay's. */
const feeOf = (
  { fee_bps: bps, fee_class, fee_tier }: OpenRow,
  trade: TradeNow | undefined,
): TradeFee | null => (bps === null ? (trade?.fee ?? null) : { bps, class: fee_class!, tier: fee_tier! })

/** What earlier ticks of these agents began and did not end. */
export async function openOrdersOf(sql: Sql, agentIds: readonly string[]): Promise<OpenOrder[]> {
  return openOf(sql, await sql.query<OpenRow>(`${OPEN} and agent_id = any($1)`, [agentIds]))
}

/** Those of agents that tick no more, or not for a while. */
export async function oldOpenOrders(sql: Sql, beforeMs: number, limit: number): Promise<OpenOrder[]> {
  const rows = await sql.query<OpenRow>(`${OPEN} and created_at_ms < $1 order by id limit $2`, [
    beforeMs,
    limit,
  ])
  return openOf(sql, rows)
}

/** When the newest signed order was begun whose trade has not landed, in milliseconds; null without one. */
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
}

/**
 * Moves an order on, from exactly this state: whoever comes second is told false and does nothing. This is
 * what keeps one order from being carried out twice, whatever became of leases.
 */
export async function moveOrder(
  sql: Sql,
  id: number,
  from: OpenOrder['status'],
  { status, code, txHash, tradeId, fillId, fee }: OrderEnd,
): Promise<boolean> {
  const rows = await sql.query(
    `update hosted_orders set status = $3, code = coalesce($4, code), tx_hash = coalesce($5, tx_hash),
       trade_id = coalesce($6, trade_id), fill_id = coalesce($7, fill_id), fee_bps = coalesce($8, fee_bps),
       fee_class = coalesce($9, fee_class), fee_tier = coalesce($10, fee_tier)
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
    ],
  )
  return rows.length === 1
}

const KEPT_MS = 30 * DAY_MS

/** Deletes what ended long ago, a bounded number at a time. */
export async function sweepOrders(sql: Sql, nowMs: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from hosted_orders where id in (
       select id from hosted_orders where created_at_ms < $1 and status in ('filled', 'held', 'failed')
       order by created_at_ms limit $2) returning id`,
    [nowMs - KEPT_MS, limit],
  )
  return rows.length
}
