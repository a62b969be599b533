import { MAX_UINT128 } from '../bytes/words.ts'
import { NATIVE } from '../router/constants.ts'
import type { Order, OrderList, Trigger } from './types.ts'

/** Bounds of a list; the session's own bounds come on top. */
export const ORDER_LIMITS = {
  orders: 16,
  replaces: 50,
  slices: 1_000,
  minEveryS: 60,
  maxEveryS: 30 * 86_400,
  minTrailBps: 100,
  maxTrailBps: 5_000,
  maxSlippageBps: 5_000,
  group: 15,
  /** A price of 10^18 dollars. */
  maxPriceE18: 10n ** 36n,
} as const

/** A fault of a list, and at which order (from 0) if it is one order's fault. */
export interface OrderFault {
  index: number | null
  field: string
  message: string
}

/** The first fault of a list as such, whatever the session, the market and the time; null for none. */
export function orderFault(list: OrderList): OrderFault | null {
  const { orders, replaces } = list
  const ofList = (field: string, message: string): OrderFault => ({ index: null, field, message })
  if (orders.length < 1 || orders.length > ORDER_LIMITS.orders)
    return ofList('orders', `must have 1 to ${ORDER_LIMITS.orders} orders`)
  if (replaces.length > ORDER_LIMITS.replaces)
    return ofList('replaces', `may name at most ${ORDER_LIMITS.replaces} orders`)
  if (new Set(replaces.map(({ id }) => id)).size < replaces.length)
    return ofList('replaces', 'names an order twice')
  if (replaces.some(({ spentIn }) => spentIn < 0n || spentIn > MAX_UINT128))
    return ofList('replaces', 'has a spent_in that is not 0 to 2^128 - 1')
  for (const [index, order] of orders.entries()) {
    const fault = faultOf(order) ?? parentFault(order, index, orders) ?? groupFault(order, orders)
    if (fault) return { index, ...fault }
  }
  return null
}

type Fault = Omit<OrderFault, 'index'> | null

/** The first rule that fails. */
const first = (...rules: readonly [boolean, string, string][]): Fault => {
  const broken = rules.find(([isGood]) => !isGood)
  return broken ? { field: broken[1], message: broken[2] } : null
}

const between = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most

function faultOf(order: Order): Fault {
  const { amountIn, minAmountOut, slices, everyS, startsAt, expiresAt } = order
  const { minEveryS, maxEveryS, maxSlippageBps } = ORDER_LIMITS
  return (
    first(
      [order.tokenIn !== order.tokenOut, 'token_out', 'must differ from token_in'],
      [amountIn > 0n && amountIn <= MAX_UINT128, 'amount_in', 'must be 1 to 2^128 - 1'],
      [minAmountOut >= 0n && minAmountOut <= MAX_UINT128, 'min_amount_out', 'must be 0 to 2^128 - 1'],
      [
        between(order.maxSlippageBps, 1, maxSlippageBps),
        'max_slippage_bps',
        `must be 1 to ${maxSlippageBps}`,
      ],
      [between(slices, 1, ORDER_LIMITS.slices), 'slices', `must be 1 to ${ORDER_LIMITS.slices}`],
      [BigInt(slices) <= amountIn, 'slices', 'must not exceed amount_in'],
      slices === 1
        ? [everyS === 0, 'every_s', 'must be 0 for a single slice']
        : [between(everyS, minEveryS, maxEveryS), 'every_s', `must be ${minEveryS} to ${maxEveryS}`],
      [between(startsAt, 0, 9_999_999_999), 'starts_at', 'must be a time in seconds, or 0'],
      [between(expiresAt, startsAt + 1, 9_999_999_999), 'expires_at', 'must be a time after starts_at'],
    ) ?? triggerFault(order.trigger)
  )
}

function triggerFault({ kind, token, priceE18, trailBps }: Trigger): Fault {
  const { minTrailBps, maxTrailBps, maxPriceE18 } = ORDER_LIMITS
  const noTrail: [boolean, string, string] = [trailBps === 0, 'trigger.trail_bps', 'is for trailing triggers']
  switch (kind) {
    case 'none':
      return first(
        [token === NATIVE, 'trigger.token', 'must be the zero address without a trigger'],
        [priceE18 === 0n, 'trigger.price_e18', 'must be 0 without a trigger'],
        noTrail,
      )
    case 'trailing':
      return first(
        [priceE18 === 0n, 'trigger.price_e18', 'must be 0 for a trailing trigger'],
        [
          between(trailBps, minTrailBps, maxTrailBps),
          'trigger.trail_bps',
          `must be ${minTrailBps} to ${maxTrailBps}`,
        ],
      )
    default:
      return first(
        [priceE18 > 0n && priceE18 <= maxPriceE18, 'trigger.price_e18', 'must be 1 to 10^36'],
        noTrail,
      )
  }
}

/** An exit is armed by one entry of the same list, sells what that entry buys, and has no exits itself. */
function parentFault({ parent, tokenIn, slices }: Order, index: number, orders: readonly Order[]): Fault {
  if (parent === 0) return null
  const entry = between(parent, 1, orders.length) ? orders[parent - 1]! : undefined
  if (!entry || parent - 1 === index)
    return { field: 'parent', message: 'must name another order of the list' }
  return first(
    [entry.parent === 0, 'parent', 'must name an order without a parent'],
    [entry.tokenOut === tokenIn, 'token_in', 'must be what the parent buys'],
    [slices === 1, 'slices', 'must be 1 for an order with a parent'],
  )
}

/** Orders of a group spend one budget, so they must agree on it. */
function groupFault({ group, tokenIn, amountIn, parent, slices }: Order, orders: readonly Order[]): Fault {
  if (group === 0) return null
  const members = orders.filter((other) => other.group === group)
  return first(
    [between(group, 1, ORDER_LIMITS.group), 'group', `must be 0 to ${ORDER_LIMITS.group}`],
    [members.length > 1, 'group', 'has one order only'],
    [members.every((other) => other.tokenIn === tokenIn), 'token_in', 'must be the same within a group'],
    [members.every((other) => other.amountIn === amountIn), 'amount_in', 'must be the same within a group'],
    [members.every((other) => other.parent === parent), 'parent', 'must be the same within a group'],
    [slices === 1, 'slices', 'must be 1 within a group'],
  )
}
