import { minOf } from '@pit/protocol'
import type { ListFacts, OrderFacts } from './types.ts'

/** Spending limit of an order, with its group and its entry. */
export interface Budget {
  /** Filled by the order or its group. */
  spentIn: bigint
  /** The whole, as far as it is armed. */
  armedIn: bigint
  /** Of `armedIn`, neither spent nor begun. */
  freeIn: bigint
  /** Received by the entry beyond the order's amount. */
  uncoveredIn: bigint
}

export const entryOf = ({ orders }: ListFacts, { order }: OrderFacts): OrderFacts | undefined =>
  order.parent === 0 ? undefined : orders[order.parent - 1]

export const groupOf = ({ orders }: ListFacts, one: OrderFacts): readonly OrderFacts[] =>
  one.order.group === 0 ? [one] : orders.filter(({ order }) => order.group === one.order.group)

export function budgetOf(list: ListFacts, one: OrderFacts): Budget {
  const group = groupOf(list, one)
  const spentIn = group.reduce((sum, { fills }) => sum + fills.spentIn, 0n)
  const begunIn = group.reduce((sum, { fills }) => sum + (fills.open?.amountIn ?? 0n), 0n)
  const entry = entryOf(list, one)
  const receivedIn = entry?.fills.receivedOut
  const { amountIn } = one.order
  const armedIn = receivedIn === undefined ? amountIn : minOf(amountIn, receivedIn)
  const freeIn = armedIn - spentIn - begunIn
  return {
    spentIn,
    armedIn,
    freeIn: freeIn > 0n ? freeIn : 0n,
    uncoveredIn: receivedIn !== undefined && receivedIn > amountIn ? receivedIn - amountIn : 0n,
  }
}
