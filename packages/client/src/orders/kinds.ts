import { type Pins, tokenNamed } from '../pins.ts'
import { badOrder, type OrderIntent } from './intent.ts'

/**
 * Common fields of all kinds of orders.
 * @public
 */
export type OrderBase = Pick<
  OrderIntent,
  'sell' | 'buy' | 'amount' | 'maxSlippageBps' | 'startsAt' | 'expiresAt'
>
/**
 * Prices are of the token that is not USDG (else of the one sold), in dollars or in the other token.
 * @public
 */
export interface Exits {
  stopUsd?: string | undefined
  /** Least price of the stop. */
  stopLeast?: string | undefined
  profitUsd?: string | undefined
}

const isBuying = (pins: Pins, sell: string): boolean => tokenNamed(pins, sell) === tokenNamed(pins, 'USDG')
const limitAt = (pins: Pins, sell: string, price: string): NonNullable<OrderIntent['limit']> => ({
  of: isBuying(pins, sell) ? 'buy' : 'sell',
  price,
})

/**
 * At this price or better; it waits otherwise.
 * @public
 */
export const limitOrder = (pins: Pins, base: OrderBase, price: string): OrderIntent => ({
  ...base,
  limit: limitAt(pins, base.sell, price),
})

/**
 * Once the price moved against the position: sells at or below it, buys at or above it.
 * @public
 */
export const stopOrder = (pins: Pins, base: OrderBase, priceUsd: string, least?: string): OrderIntent => ({
  ...base,
  trigger: { kind: isBuying(pins, base.sell) ? 'at_or_above' : 'at_or_below', priceUsd },
  ...(least !== undefined && { limit: limitAt(pins, base.sell, least) }),
})

/**
 * Once the price moved in favour: sells at or above it, buys at or below it.
 * @public
 */
export const takeProfitOrder = (
  pins: Pins,
  base: OrderBase,
  priceUsd: string,
  least?: string,
): OrderIntent => ({
  ...base,
  trigger: { kind: isBuying(pins, base.sell) ? 'at_or_below' : 'at_or_above', priceUsd },
  ...(least !== undefined && { limit: limitAt(pins, base.sell, least) }),
})

/**
 * Sells once the price fell this far from an earlier one.
 * @public
 */
export const trailingOrder = (base: OrderBase, trailBps: number): OrderIntent => ({
  ...base,
  trigger: { kind: 'trailing', trailBps },
})

/**
 * Equal parts over time.
 * @public
 */
export const twapOrder = (
  pins: Pins,
  base: OrderBase,
  { slices, everyS, price }: { slices: number; everyS: number; price?: string | undefined },
): OrderIntent => ({
  ...base,
  slices,
  everyS,
  ...(price !== undefined && { limit: limitAt(pins, base.sell, price) }),
})

/**
 * An entry, and exits that its fills arm; the first exit that fills uses up the other.
 * @public
 */
export function bracketOrders(
  pins: Pins,
  entry: OrderIntent,
  exits: Exits & { amount: string },
): OrderIntent[] {
  const { amount, stopUsd, stopLeast, profitUsd } = exits
  if (stopUsd === undefined && profitUsd === undefined) badOrder('a bracket needs a stop or a take-profit')
  const base: OrderBase = {
    sell: entry.buy,
    buy: entry.sell,
    amount,
    maxSlippageBps: entry.maxSlippageBps,
    expiresAt: entry.expiresAt,
  }
  const both = stopUsd !== undefined && profitUsd !== undefined
  const child = { parent: 1, ...(both && { group: 1 }) }
  return [
    entry,
    ...(stopUsd === undefined ? [] : [{ ...stopOrder(pins, base, stopUsd, stopLeast), ...child }]),
    ...(profitUsd === undefined ? [] : [{ ...takeProfitOrder(pins, base, profitUsd), ...child }]),
  ]
}
