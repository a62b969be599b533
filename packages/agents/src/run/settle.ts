import type { Db } from '@pit/platform/db'
import { askIsKnown, readOne } from '@pit/platform/reads'
import { SESSION, usdCentsText, usdOf } from '@pit/protocol'
import { writeLogs } from '../logs.ts'
import { sweepSigned } from '../signed/endSigned.ts'
import type { LogEntry } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { moveOrder, type OrderEnd, oldOpenOrders, sweepOrders } from './orders.ts'
import type { OpenOrder } from './types.ts'

/** Signed bytes without a trace for this long can no longer be mined: their leaf has expired. */
export const TRACELESS_MS = (SESSION.leafTtlS + 30) * 1_000

/** New status of an order that an earlier tick left open; null while it is undecided. */
export type Settlement = (OrderEnd & { message: string }) | null

/**
 * Pure. An order is never executed twice: an unsigned one was never sent; a signed one is known to the relay,
 * which stores it before sending, or to the chain, or was never sent.
 */
export function settleOf(
  order: OpenOrder,
  { onChain, nowMs }: { onChain: boolean; nowMs: number },
): Settlement {
  if (order.status === 'intended') {
    return {
      status: 'failed',
      code: 'TRADE_LOST',
      message: 'The worker stopped before the order was executed. It is not repeated.',
    }
  }
  const { trade } = order
  if (trade) {
    const ids = { tradeId: trade.id }
    if (trade.status === 'mined') {
      const received = order.signedOrderId && { amountOut: trade.amountOut ?? null }
      return { status: 'filled', ...ids, ...received, message: 'The trade was mined.' }
    }
    if (trade.status === 'reverted')
      return failed('The trade was mined and reverted; only gas was spent.', ids)
    if (trade.status === 'dropped' || trade.status === 'refused') {
      return failed('The trade did not reach the chain.', ids)
    }
    return order.status === 'signed'
      ? { status: 'relayed', ...ids, message: 'The trade was relayed; waiting for its receipt.' }
      : null
  }
  if (onChain) return { status: 'relayed', message: 'The trade was found on chain.' }
  if (nowMs - order.createdAtMs < TRACELESS_MS) return null
  return {
    status: 'failed',
    code: 'TRADE_LOST',
    message: 'The worker stopped after signing and before sending the trade. It can no longer be sent.',
  }
}

const failed = (message: string, ids: { tradeId: number }): Settlement => ({
  status: 'failed',
  code: 'TRADE_FAILED',
  ...ids,
  message,
})

/** Ends orders where possible and returns those still open. */
export async function settleOrders(
  { db, rpc, clock }: Pick<TickOptions, 'rpc' | 'clock'> & { db: Db },
  orders: readonly OpenOrder[],
): Promise<OpenOrder[]> {
  const open: OpenOrder[] = []
  for (const order of orders) {
    const untraced = order.status !== 'intended' && !order.trade && order.txHash !== null
    // Without an answer from the node the order stays open.
    const onChain = untraced && (await readOne(rpc, askIsKnown(order.txHash!)).catch(() => null))
    const nowMs = clock.nowMs()
    const settlement = onChain === null ? null : settleOf(order, { onChain, nowMs })
    if (settlement === null) {
      open.push(order)
      continue
    }
    await db.transaction(async (sql) => {
      if (await moveOrder(sql, order.id, order.status, settlement)) {
        await writeLogs(sql, ...entriesOf(order, settlement, nowMs))
      }
    })
    if (settlement.status === 'relayed') open.push({ ...order, status: 'relayed' })
  }
  return open
}

/**
 * A trade has exactly one `trade` row: written by its worker when it is sent, or here if that worker died.
 * The receipt is a `watch` row; a failed order is an `error` row.
 */
export function entriesOf(order: OpenOrder, settlement: NonNullable<Settlement>, atMs: number): LogEntry[] {
  const isMined = order.trade?.status === 'mined' || order.trade?.status === 'reverted'
  const hasLeft = isMined || settlement.status === 'relayed'
  const common = {
    agentId: order.agentId,
    tick: order.tick,
    atMs,
    data: {
      order: { n: order.n, pair: order.pair, side: order.side, usd: usdOf(order.microUsd) },
      status: settlement.status,
      tx_hash: order.txHash,
      trade_id: order.trade?.id ?? null,
    },
  }
  const fee = order.fee && { fee: order.fee }
  const doing = order.side === 'buy' ? 'Buying' : 'Selling'
  const sentEntry: LogEntry = {
    ...common,
    ...fee,
    kind: 'trade',
    message:
      `${doing}: ${order.pair}, ${usdCentsText(order.microUsd)}, relayed as ${order.txHash}.` +
      (settlement.status === 'relayed' ? ` ${settlement.message}` : ''),
  }
  const followed: LogEntry = {
    ...common,
    ...(isMined && fee),
    kind: isMined ? 'watch' : 'error',
    ...(settlement.code !== undefined && { code: settlement.code }),
    message: settlement.message,
  }
  return [
    ...(order.status === 'signed' && hasLeft ? [sentEntry] : []),
    ...(settlement.status === 'relayed' ? [] : [followed]),
  ]
}

const OLD_MS = 10 * 60_000
const AT_ONCE = 500

/** Ends open orders of agents that no longer tick, and deletes old orders. */
export async function sweepRun(deps: Pick<TickOptions, 'rpc' | 'clock'> & { db: Db }): Promise<void> {
  const nowMs = deps.clock.nowMs()
  await settleOrders(deps, await oldOpenOrders(deps.db, nowMs - OLD_MS, AT_ONCE))
  await sweepOrders(deps.db, nowMs, 10 * AT_ONCE)
  await sweepSigned(deps.db, nowMs)
}
