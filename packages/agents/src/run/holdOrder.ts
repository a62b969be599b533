import { usdOf } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import { writeLogs } from '../logs.ts'
import type { AgentToken } from '../types.ts'
import type { TickOptions } from './deps.ts'
import { moveOrder } from './orders.ts'
import type { ClaimedAgent, SignedPart } from './types.ts'

/** An order stored as intended, before execution. */
export interface IntendedOrder {
  id: number
  n: number
  pair: string
  side: 'buy' | 'sell'
  tokenIn: AgentToken
  tokenOut: AgentToken
  microUsd: bigint
  /** Set if a whole position is sold, so that no dust is left. */
  allAtoms: bigint | null
  reason: string
  /** Set if it carries out a signed order. */
  signed: SignedPart | null
}

export interface OrderRequest {
  agent: ClaimedAgent
  tick: number
  order: IntendedOrder
}
export interface LiveRequest extends OrderRequest {
  session: Session
  /** The executor's ETH balance. */
  executorWei: bigint
}
export type OrderOutcome = 'filled' | 'relayed' | 'held' | 'failed' | { held: string }

/** Codes of a price that is worse than a signed order allows: the message has both figures. */
const PRICE_CODES = ['LIMIT_NOT_REACHABLE', 'ORDER_PRICE']

const whyOf = ({ signed }: IntendedOrder, code: string, message: string): string | undefined =>
  signed?.minAmountOut === 0n && PRICE_CODES.includes(code) ? message : undefined

/** Ends an intended order without a trade and logs the reason. */
export async function holdOrder(
  { db, clock }: Pick<TickOptions, 'db' | 'clock'>,
  { agent, tick, order }: OrderRequest,
  { code, message, data }: { code: string; message: string; data?: Record<string, unknown> },
): Promise<OrderOutcome> {
  await db.transaction(async (sql) => {
    if (
      !(await moveOrder(sql, order.id, 'intended', {
        status: 'held',
        code,
        why: whyOf(order, code, message),
      }))
    )
      return
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
