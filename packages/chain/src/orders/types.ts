import type { Address, Hex } from '../bytes/hex.ts'

/** The condition that starts an order. Prices are dollars of one whole token times 10^18, by independent marks. */
export type TriggerKind = 'none' | 'at_or_below' | 'at_or_above' | 'trailing'
/** In the order of their numbers in the signed data. */
export const TRIGGER_KINDS: readonly TriggerKind[] = ['none', 'at_or_below', 'at_or_above', 'trailing']

export interface Trigger {
  kind: TriggerKind
  /** Whose price counts; the zero address (ETH) without a trigger. */
  token: Address
  /** 0 without a trigger and for a trailing one. */
  priceE18: bigint
  /** How far a trailing price falls below an earlier one; 0 otherwise. */
  trailBps: number
}

/** One order as its owner signs it. All amounts are atoms, all times unix seconds. */
export interface Order {
  tokenIn: Address
  tokenOut: Address
  /** The most that the order may ever spend, fees included. */
  amountIn: bigint
  /** The least received for all of `amountIn`, after fees, and in proportion for a part; 0 for a market order. */
  minAmountOut: bigint
  maxSlippageBps: number
  trigger: Trigger
  /** Equal parts; the last one takes the remainder. */
  slices: number
  /** The least time between two parts. */
  everyS: number
  startsAt: number
  expiresAt: number
  /** Orders of one list in the same group share one budget; 0 for none. */
  group: number
  /** Position (from 1) of the entry of this list that arms the order as it is filled; 0 for none. */
  parent: number
}

/** An order that ends when the list is registered. */
export interface Replaced {
  id: Hex
  /** Input of its budget that was spent or may still be; with any other figure the list is not registered. */
  spentIn: bigint
}

/** The content of one signature. All orders of a list are registered, or none. */
export interface OrderList {
  /** Hash of the session's main root. */
  session: Hex
  nonce: Hex
  replaces: readonly Replaced[]
  orders: readonly Order[]
}
