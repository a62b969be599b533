import type { Db } from '@pit/platform/db'
import { askIsKnown, readOne } from '@pit/platform/reads'
import { SESSION, usdOf } from '@pit/protocol'
import { writeLogs } from '../logs.ts'
import type { LogEntry } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { moveOrder, type OrderEnd, oldOpenOrders, sweepOrders } from './orders.ts'
import type { OpenOrder } from './types.ts'

/** Signed bytes that left no trace for this long leave none any more: the leaf they redeem has run out. */
export const TRACELESS_MS = (SESSION.leafTtlS + 30) * 1_000

/** What becomes of an order that an earlier tick left open; null while only the chain can tell. */
export type Settled = (OrderEnd & { message: string }) | null

/**
 * Pure: an order is never carried out a second time. What was not signed never left; what was signed is known
 * to the relay, which writes before it sends, or to the chain, or to nobody.
 */
export function settleOf(order: OpenOrder, { onChain, nowMs }: { onChain: boolean; nowMs: number }): Settled {
  if (order.status === 'intended') {
    return {
      status: 'failed',
      code: 'TRADE_LOST',
      message: 'The order was begun, but its worker ended before it traded; it is not repeated.',
    }
  }
  const { trade } = order
  if (trade) {
    const known = { tradeId: trade.id }
    if (trade.status === 'mined') return { status: 'filled', ...known, message: 'The trade was mined.' }
    if (trade.status === 'reverted')
      return failed('The trade was mined and reverted; only gas was spent.', known)
    if (trade.status === 'dropped' || trade.status === 'refused') {
      return failed('The trade never reached the chain.', known)
    }
    return order.status === 'signed'
      ? { status: 'relayed', ...known, message: 'The trade was relayed; its receipt is awaited.' }
      : null
  }
  if (onChain) return { status: 'relayed', message: 'The chain shows the trade.' }
  if (nowMs - order.createdAtMs < TRACELESS_MS) return null
  return {
    status: 'failed',
    code: 'TRADE_LOST',
    message: 'The trade was signed, but its worker ended before it left; it can no longer be sent.',
  }
}

const failed = (message: string, known: { tradeId: number }): Settled => ({
  status: 'failed',
  code: 'TRADE_FAILED',
  ...known,
  message,
})

/** Ends what can be ended and tells what is still open. */
export async function settleOrders(
  { db, rpc, clock }: Pick<TickOptions, 'rpc' | 'clock'> & { db: Db },
  orders: readonly OpenOrder[],
): Promise<OpenOrder[]> {
  const open: OpenOrder[] = []
  for (const order of orders) {
    const untraced = order.status !== 'intended' && !order.trade && order.txHash !== null
    // A node that does not answer tells nothing: the order stays open.
    const onChain = untraced && (await readOne(rpc, askIsKnown(order.txHash!)).catch(() => null))
    const nowMs = clock.nowMs()
    const settled = onChain === null ? null : settleOf(order, { onChain, nowMs })
    if (settled === null) {
      open.push(order)
      continue
    }
    await db.transaction(async (sql) => {
      if (await moveOrder(sql, order.id, order.status, settled)) {
        await writeLogs(sql, ...entriesOf(order, settled, nowMs))
      }
    })
    if (settled.status === 'relayed') open.push({ ...order, status: 'relayed' })
  }
  return open
}

/**
 * A trade has one `trade` row, written when it left: by its own worker, or here when that ended before. What
 * the chain made of it is a `watch` row; an order that came to nothing is an error.
 */
export function entriesOf(order: OpenOrder, settled: NonNullable<Settled>, atMs: number): LogEntry[] {
  const isMined = order.trade?.status === 'mined' || order.trade?.status === 'reverted'
  const hasLeft = isMined || settled.status === 'relayed'
  const common = {
    agentId: order.agentId,
    tick: order.tick,
    atMs,
    data: {
      order: { n: order.n, pair: order.pair, side: order.side, usd: usdOf(order.microUsd) },
      status: settled.status,
      tx_hash: order.txHash,
      trade_id: order.trade?.id ?? null,
    },
  }
  const fee = order.fee && { fee: order.fee }
  const doing = order.side === 'buy' ? 'Buying' : 'Selling'
  const left: LogEntry = {
    ...common,
    ...fee,
    kind: 'trade',
    message:
      `${doing}: ${order.pair}, ${usdOf(order.microUsd)} dollars, relayed as ${order.txHash}.` +
      (settled.status === 'relayed' ? ` ${settled.message}` : ''),
  }
  const followed: LogEntry = {
    ...common,
    ...(isMined && fee),
    kind: isMined ? 'watch' : 'error',
    ...(settled.code !== undefined && { code: settled.code }),
    message: settled.message,
  }
  return [
    ...(order.status === 'signed' && hasLeft ? [left] : []),
    ...(settled.status === 'relayed' ? [] : [followed]),
  ]
}

const OLD_MS = 10 * 60_000
const AT_ONCE = 500

/** Ends what agents that no longer tick left open, and deletes orders that ended long ago. */
export async function sweepRun(deps: Pick<TickOptions, 'rpc' | 'clock'> & { db: Db }): Promise<void> {
  const nowMs = deps.clock.nowMs()
  await settleOrders(deps, await oldOpenOrders(deps.db, nowMs - OLD_MS, AT_ONCE))
  await sweepOrders(deps.db, nowMs, 10 * AT_ONCE)
}
