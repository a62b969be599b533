import type { Hex, Replaced } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { SignerCheck } from '@pit/signer-wire'
import { reservedOf } from './budget.ts'
import { findOrders, readTotals, stateOf } from './store.ts'
import type { StoredOrder } from './types.ts'

export interface ReplacedRequest {
  rootHash: Hex
  replaces: readonly Replaced[]
  /** The session's open orders. */
  open: readonly StoredOrder[]
  atMs: number
}

/**
 * Why orders cannot be replaced as signed. An intention has one budget: the owner signs what was spent of it, so
 * the new order cannot spend that again, and no order of the same budget stays open. Its root is locked.
 */
export async function replacedFault(
  sql: Sql,
  { rootHash, replaces, open, atMs }: ReplacedRequest,
): Promise<Omit<SignerCheck, 'ok'> | null> {
  const stored = await findOrders(
    sql,
    replaces.map(({ id }) => id),
  )
  const totals = await readTotals(sql, stored)
  for (const { id, spentIn } of replaces) {
    const order = stored.find((one) => one.id === id)
    if (order?.rootHash !== rootHash)
      return {
        rule: 'ORDER_ENDED',
        message: 'A replaced order is not registered in this session.',
        value: id,
      }
    const state = stateOf(order, Math.floor(atMs / 1000))
    if (state !== 'open' && state !== 'filled')
      return { rule: 'ORDER_ENDED', message: `A replaced order has ended: ${state}.`, value: id }
    const spent = reservedOf(totals, order)
    if (spent !== spentIn)
      return {
        rule: 'ORDER_REPLACED',
        message: `Another amount of the replaced order ${id} is spent or may still be sent.`,
        value: spent.toString(),
        limit: spentIn.toString(),
      }
    const sibling = open.find(
      (one) => one.budgetId === order.budgetId && !replaces.some((other) => other.id === one.id),
    )
    if (sibling)
      return {
        rule: 'ORDER_LIST',
        message: 'An open order shares the budget of a replaced one: replace both.',
        value: sibling.id,
      }
  }
  return null
}
