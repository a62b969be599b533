import { markPrice, worthUp } from '@pit/protocol'
import type { BookPriceOf } from '../brakes/book.ts'
import { isClosing } from '../brakes/closing.ts'
import type { Pins } from '../pins.ts'
import { budgetOf, reservedOf } from './budget.ts'
import type { OrderTotals, StoredOrder } from './types.ts'

/**
 * The day and the trades that a session's armed closing orders still need. An order without a parent
 * is armed from its registration; one with a parent by what its entry has received, by the least that the
 * entry's open leaves receive, and by `more` of the trade in question. A budget counts once. A token without
 * a price counts nothing of the day and one trade.
 */
export function reserveFor(
  orders: readonly StoredOrder[],
  {
    totals,
    more,
    priceOf,
    pins,
    maxTradeMicroUsd,
  }: {
    totals: readonly OrderTotals[]
    more: { parentId: string | null; more: bigint }
    priceOf: BookPriceOf
    pins: Pick<Pins, 'tokens' | 'weth'>
    maxTradeMicroUsd: number
  },
): { microUsd: bigint; trades: number } {
  const reserved = { microUsd: 0n, trades: 0 }
  const budgets = new Set<string>()
  for (const one of orders) {
    if (!isClosing(one.order, pins) || budgets.has(one.budgetId)) continue
    budgets.add(one.budgetId)
    const rest = budgetOf(one, totals, more) - reservedOf(totals, one)
    if (rest <= 0n) continue
    const price = priceOf(one.order.tokenIn)
    const worth = price ? worthUp(rest, markPrice(price.priceE18, price.decimals)) : 0n
    reserved.microUsd += worth
    reserved.trades += tradesFor(one, worth)
  }
  return reserved

  function tradesFor({ id, order: { slices } }: StoredOrder, worth: bigint): number {
    const byCap = Number((worth + BigInt(maxTradeMicroUsd) - 1n) / BigInt(maxTradeMicroUsd))
    const parts = slices - (totals.find((one) => one.id === id)?.parts ?? 0)
    return Math.max(1, byCap, slices > 1 ? parts : 1)
  }
}
