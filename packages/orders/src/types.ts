import type { Address, Hex, Order } from '@pit/chain'
import type { OrderState } from '@pit/protocol'

/** The states that an order never leaves. */
export const ENDED_STATES: readonly OrderState[] = [
  'filled',
  'expired',
  'cancelled',
  'replaced',
  'unfillable',
]

/** The highest price since an order is watched, with its round. */
export interface Peak {
  priceE18: bigint
  round: string
}

/** One registered order as stored. */
export interface OrderFacts {
  id: Hex
  order: Order
  state: OrderState
  why: string | null
  /** Rounds after this second count for its trigger; null for an exit before its entry has a fill. */
  watchedFromS: number | null
  /** Rounds that showed the trigger met; null until then. A met trigger stays met. */
  metRounds: readonly string[] | null
  peak: Peak | null
  fills: OrderFills
}

export interface OrderFills {
  spentIn: bigint
  /** Input of its exits. */
  receivedOut: bigint
  /** Number of filled parts. */
  parts: number
  /** The latest moment at which the last filled part can have been traded; null without one. */
  lastPartMs: number | null
  /** When its first fill was settled; rounds after it count for its exits. Null before. */
  settledFromS: number | null
  /** The part that was begun and whose outcome is not known yet. */
  open: { part: number; amountIn: bigint } | null
  /** Attempts since the last filled part that ended without a trade; null without any. */
  attempt: Attempt | null
}
export interface Attempt {
  /** Of the last one. */
  code: string | null
  /** Why it was held, if its code does not say it. */
  why?: string | null
  /** Smallest input of those attempts whose leaf may still be sent; null for none. */
  amountIn: bigint | null
  atMs: number
  count: number
}

/** A registered list, including its orders that ended: they count for budgets. */
export interface ListFacts {
  hash: Hex
  /** In the order of the list. */
  orders: readonly OrderFacts[]
}

/** An independent price with what keeps it from being relied on. */
export interface TokenMark {
  /** Dollars of one whole token times 10^18. */
  priceE18: bigint
  decimals: number
  /** Null for a source without rounds. */
  round: string | null
  updatedAtS: number
  hold: 'closed' | 'paused' | 'stale' | null
}

export interface OrdersInput {
  lists: readonly ListFacts[]
  /** Undefined for a token without a price. */
  mark(token: Address): TokenMark | undefined
  /** Whether a token has an independent price as a rule. */
  hasFeed(token: Address): boolean
  /** Atoms of the book; undefined if unreadable. */
  balance(token: Address): bigint | undefined
  limits: {
    maxTradeMicroUsd: bigint
    dayLeftMicroUsd: bigint
    /** Micro-dollars of a token that may still be bought; null without a limit, undefined if unknown. */
    positionLeft(token: Address): bigint | null | undefined
  }
  usdg: Address
  weth: Address | null
  /** False while an earlier trade is in flight: states change, nothing is traded. */
  canTrade: boolean
  /** Why nothing can be traded for longer than a usual trade takes; shown by orders that would trade. */
  blockedBy?: string | null
  nowMs: number
}

export interface OrderVerdict
  extends Pick<OrderFacts, 'id' | 'state' | 'why' | 'watchedFromS' | 'metRounds' | 'peak'> {
  list: Hex
  ended: boolean
  /** The co-signer does not see the trigger met: it is watched again. */
  isUnmet: boolean
}

/** A part of an order to trade now. */
export interface OrderPart {
  id: Hex
  /** From 1; a part that was not filled is tried again under its number. */
  part: number
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  /** 0 for a market order. */
  minAmountOut: bigint
  maxSlippageBps: number
  rounds: readonly string[]
  /** Value of the input towards limits. */
  microUsd: bigint
}

export interface OrdersDecision {
  /** Of every order that had not ended. */
  orders: OrderVerdict[]
  parts: OrderPart[]
  /** When something is due next, whatever the prices; null for nothing. */
  dueMs: number | null
}
