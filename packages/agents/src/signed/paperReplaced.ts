import type { Replaced } from '@pit/chain'
import { groupOf } from '@pit/orders'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import { listsWith } from './store.ts'

/** On paper the co-signer's rule is applied here: an intention has one budget. */
export async function checkPaperReplaced(
  sql: Sql,
  agentId: string,
  replaces: readonly Replaced[],
  nowMs: number,
): Promise<void> {
  const ids = replaces.map(({ id }) => id)
  const lists = ids.length === 0 ? [] : await listsWith(sql, agentId, ids, nowMs)
  for (const [index, { id, spentIn }] of replaces.entries()) {
    const refuse = (name: string, why: string): never => {
      const field = `list.replaces.${index}.${name}`
      return fail('BAD_REQUEST', { field, message: `\`${field}\` ${why}.` })
    }
    const list = lists.find(({ orders }) => orders.some((one) => one.id === id))
    const order = list?.orders.find((one) => one.id === id)
    if (!list || !order) return refuse('id', 'is not an order of this agent')
    if (GONE.has(order.state)) refuse('id', `has ended: ${order.state}`)
    const group = groupOf(list, order)
    const spent = group.reduce((sum, { fills }) => sum + fills.spentIn + (fills.open?.amountIn ?? 0n), 0n)
    if (spent !== spentIn) refuse('spent_in', `must be ${spent}`)
  }
}

const GONE: ReadonlySet<string> = new Set(['expired', 'cancelled', 'replaced', 'unfillable'])
