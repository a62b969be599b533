import type { Hex } from '@pit/chain'
import type { OrderState } from '@pit/protocol'
import type { LogEntry } from '../types.ts'

const WORDS: Record<OrderState, string> = {
  armed: 'is armed',
  waiting: 'waits',
  triggered: 'is triggered',
  sent: 'was sent',
  partially_filled: 'is partially filled',
  filled: 'is filled',
  expired: 'has expired',
  cancelled: 'is cancelled',
  replaced: 'is replaced',
  unfillable: 'cannot be filled',
}

export const shortId = (id: Hex): string => `${id.slice(0, 10)}…`

/** The log row of a signed order's new state. */
export const orderLog = (
  { agentId, tick = null, atMs }: { agentId: string; tick?: number | null; atMs: number },
  { id, state, why }: { id: Hex; state: OrderState; why: string | null },
): LogEntry => ({
  agentId,
  tick,
  atMs,
  kind: 'state',
  code: `ORDER_${state.toUpperCase()}`,
  message: `Order ${shortId(id)} ${WORDS[state]}.${why === null ? '' : ` ${why}`}`,
  data: { order_id: id, state, why },
})
