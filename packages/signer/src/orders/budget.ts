import type { Order } from '@pit/chain'
import type { OrderTotals, StoredOrder } from './types.ts'

/** The most that one part of an order may spend; null if it has no such part. */
export function partLimit({ amountIn, slices }: Order, part: number): bigint | null {
  if (slices === 1) return amountIn
  if (part > slices) return null
  const each = amountIn / BigInt(slices)
  return part < slices ? each : amountIn - each * BigInt(slices - 1)
}

type Totals = readonly OrderTotals[]

type Budget = Pick<StoredOrder, 'budgetId'>

const sumOf = (totals: Totals, { budgetId }: Budget, field: 'reserved' | 'spent'): bigint =>
  totals.reduce((sum, one) => (one.budgetId === budgetId ? sum + one[field] : sum), 0n)

/** Input reserved by all orders of a budget, and the part of it that was sent for certain. */
export const reservedOf = (totals: Totals, budget: Budget): bigint => sumOf(totals, budget, 'reserved')
export const spentOf = (totals: Totals, budget: Budget): bigint => sumOf(totals, budget, 'spent')

/**
 * The most that an order may spend in total: what it says and, with a parent, not more than that entry has
 * received. `pendingOut` also counts what the entry's open leaves, and one more, receive at least.
 */
export function budgetOf(
  { order, parentId }: Pick<StoredOrder, 'order' | 'parentId'>,
  totals: Totals,
  pendingOut: { parentId: string | null; more: bigint } | null = null,
): bigint {
  if (parentId === null) return order.amountIn
  const entry = totals.find(({ id }) => id === parentId)
  let received = entry?.received ?? 0n
  if (pendingOut)
    received += (entry?.pendingOut ?? 0n) + (pendingOut.parentId === parentId ? pendingOut.more : 0n)
  return received < order.amountIn ? received : order.amountIn
}
