import { usdOf } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import { writeLogs } from '../logs.ts'
import type { AgentToken } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { moveOrder } from './orders.ts'
import type { ClaimedAgent } from './types.ts'

/** An order that was begun: stored as intended, nothing done for it yet. */
export interface BegunOrder {
  id: number
  n: number
  pair: string
  side: 'buy' | 'sell'
  tokenIn: AgentToken
  tokenOut: AgentToken
  microUsd: bigint
  /** Set when all of a holding is sold: no dust is left behind. */
  allAtoms: bigint | null
  reason: string
}

export interface OrderRequest {
  agent: ClaimedAgent
  tick: number
  order: BegunOrder
}
export interface LiveRequest extends OrderRequest {
  session: Session
  /** What the executor has for gas. */
  executorWei: bigint
}
export type OrderOutcome = 'filled' | 'relayed' | 'held' | 'failed' | { held: string }

/** Ends a begun order without a trade; the log says why. */
export async function holdOrder(
  { db, clock }: Pick<TickOptions, 'db' | 'clock'>,
  { agent, tick, order }: OrderRequest,
  { code, message, data }: { code: string; message: string; data?: Record<string, unknown> },
): Promise<OrderOutcome> {
  await db.transaction(async (sql) => {
    if (!(await moveOrder(sql, order.id, 'intended', { status: 'held', code }))) return
    await writeLogs(sql, {
      agentId: agent.id,
      tick,
      atMs: clock.nowMs(),
      kind: 'hold',
      code,
      message,
      data: {
        order: {
          n: order.n,
          pair: order.pair,
          side: order.side,
          usd: usdOf(order.microUsd),
          reason: order.reason,
        },
        ...data,
      },
    })
  })
  return { held: code }
}
