import type { Address, Hex } from '../bytes/hex.ts'
import { NATIVE } from '../router/constants.ts'
import type { Order, OrderList, Trigger } from './types.ts'

/** A list in JSON: amounts in decimal digits, addresses and hashes in lower case. */
export interface WireOrderList {
  session: Hex
  nonce: Hex
  replaces: readonly WireReplaced[]
  orders: readonly WireOrder[]
}
export interface WireReplaced {
  id: Hex
  spent_in: string
}
export interface WireOrder {
  token_in: Address
  token_out: Address
  amount_in: string
  min_amount_out: string
  max_slippage_bps: number
  trigger: WireTrigger
  slices: number
  every_s: number
  starts_at: number
  expires_at: number
  group: number
  parent: number
}
export type WireTrigger =
  | { kind: 'none' }
  | { kind: 'at_or_below' | 'at_or_above'; token: Address; price_e18: string }
  | { kind: 'trailing'; token: Address; trail_bps: number }

export function toWireOrders({ replaces, orders, ...list }: OrderList): WireOrderList {
  return {
    ...list,
    replaces: replaces.map(({ id, spentIn }) => ({ id, spent_in: spentIn.toString() })),
    orders: orders.map(toWireOrder),
  }
}

export const toWireOrder = (order: Order): WireOrder => ({
  token_in: order.tokenIn,
  token_out: order.tokenOut,
  amount_in: order.amountIn.toString(),
  min_amount_out: order.minAmountOut.toString(),
  max_slippage_bps: order.maxSlippageBps,
  trigger: toWireTrigger(order.trigger),
  slices: order.slices,
  every_s: order.everyS,
  starts_at: order.startsAt,
  expires_at: order.expiresAt,
  group: order.group,
  parent: order.parent,
})

/** Expects what the schema of a list admits. */
export const fromWireOrders = ({ session, nonce, replaces, orders }: WireOrderList): OrderList => ({
  session: lower(session),
  nonce: lower(nonce),
  replaces: replaces.map(({ id, spent_in }) => ({ id: lower(id), spentIn: BigInt(spent_in) })),
  orders: orders.map(fromWireOrder),
})

/** Also of a stored list of the first version: its orders are the same. */
export const fromWireOrder = (order: WireOrder): Order => ({
  tokenIn: lower(order.token_in),
  tokenOut: lower(order.token_out),
  amountIn: BigInt(order.amount_in),
  minAmountOut: BigInt(order.min_amount_out),
  maxSlippageBps: order.max_slippage_bps,
  trigger: fromWireTrigger(order.trigger),
  slices: order.slices,
  everyS: order.every_s,
  startsAt: order.starts_at,
  expiresAt: order.expires_at,
  group: order.group,
  parent: order.parent,
})

function toWireTrigger({ kind, token, priceE18, trailBps }: Trigger): WireTrigger {
  if (kind === 'none') return { kind }
  if (kind === 'trailing') return { kind, token, trail_bps: trailBps }
  return { kind, token, price_e18: priceE18.toString() }
}

function fromWireTrigger(trigger: WireTrigger): Trigger {
  if (trigger.kind === 'none') return { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 }
  const token = lower(trigger.token)
  if (trigger.kind === 'trailing')
    return { kind: 'trailing', token, priceE18: 0n, trailBps: trigger.trail_bps }
  return { kind: trigger.kind, token, priceE18: BigInt(trigger.price_e18), trailBps: 0 }
}

const lower = (text: Hex): Hex => text.toLowerCase() as Hex
