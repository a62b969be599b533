import type { Address, Order } from '@pit/chain'
import {
  type AtomPrice,
  atomsDown,
  CONTROLS,
  countedMicroUsd,
  divUp,
  exchangeDown,
  markPrice,
  microUsdDown,
  minOf,
  worthDown,
} from '@pit/protocol'
import type { OrderFacts, OrdersInput } from './types.ts'
import { WHY } from './why.ts'

export const MIN_PART_MICRO_USD = microUsdDown(CONTROLS.minPartUsd)
/** The traded price may be this much better than the marks before an attempt is worth a quote. */
const MARGIN_BPS = 100n

/** Room left by the earlier parts of one decision. */
export interface Room {
  balance(token: Address): bigint | undefined
  dayLeftMicroUsd: bigint
  take(part: { tokenIn: Address; tokenOut: Address; amountIn: bigint; microUsd: bigint }): void
  positionLeft(token: Address): bigint | null | undefined
}

export function openRoom({ balance, limits }: Pick<OrdersInput, 'balance' | 'limits'>): Room {
  const spent = new Map<Address, bigint>()
  const bought = new Map<Address, bigint>()
  const room: Room = {
    dayLeftMicroUsd: limits.dayLeftMicroUsd,
    balance(token) {
      const atoms = balance(token)
      return atoms === undefined ? undefined : atoms - (spent.get(token) ?? 0n)
    },
    positionLeft(token) {
      const left = limits.positionLeft(token)
      return typeof left === 'bigint' ? left - (bought.get(token) ?? 0n) : left
    },
    take({ tokenIn, tokenOut, amountIn, microUsd }) {
      spent.set(tokenIn, (spent.get(tokenIn) ?? 0n) + amountIn)
      bought.set(tokenOut, (bought.get(tokenOut) ?? 0n) + microUsd)
      room.dayLeftMicroUsd -= microUsd
    },
  }
  return room
}

const priceOf = (input: Pick<OrdersInput, 'mark'>, token: Address): AtomPrice | undefined => {
  const mark = input.mark(token)
  return mark && markPrice(mark.priceE18, mark.decimals)
}

/**
 * Price of an atom of the input: its mark or, for a token without one, what its owner wants for it at least.
 */
export function inputPrice(
  input: Pick<OrdersInput, 'mark'>,
  { tokenIn, tokenOut, amountIn, minAmountOut }: Order,
): AtomPrice | undefined {
  const own = priceOf(input, tokenIn)
  if (own || minAmountOut === 0n) return own
  const out = priceOf(input, tokenOut)
  return out && { num: out.num * minAmountOut, den: out.den * amountIn }
}

/** The least output of a part, in proportion; a part with it satisfies the whole order's minimum. */
export const minOutOf = ({ amountIn, minAmountOut }: Order, partIn: bigint): bigint =>
  divUp(minAmountOut * partIn, amountIn)

/** Whether the marks are clearly worse than the minimum. */
export function isBeyondMinimum(input: Pick<OrdersInput, 'mark'>, order: Order): boolean {
  const [paid, got] = [priceOf(input, order.tokenIn), priceOf(input, order.tokenOut)]
  if (order.minAmountOut === 0n || !paid || !got) return false
  const out = exchangeDown(order.amountIn, paid, got)
  return out * (10_000n + MARGIN_BPS) < order.minAmountOut * 10_000n
}

/** The largest slice of what is free: equal parts, the last one with the remainder. */
export function sliceOf({ amountIn, slices }: Order, freeIn: bigint): bigint {
  const size = amountIn / BigInt(slices)
  return freeIn <= size + (amountIn % BigInt(slices)) ? freeIn : size
}

export type Size = { amountIn: bigint; microUsd: bigint } | { why: string }

/** A slice, or else the largest part that budget, balance and limits allow; at least 1 USD. */
export function sizePart(
  { limits }: Pick<OrdersInput, 'limits'>,
  { order, fills }: OrderFacts,
  { freeIn, price, room }: { freeIn: bigint; price: AtomPrice; room: Room },
): Size {
  const left = room.positionLeft(order.tokenOut)
  if (left === undefined) return { why: WHY.caps }
  const balance = room.balance(order.tokenIn)
  if (balance === undefined) return { why: WHY.balance }
  const slice = sliceOf(order, freeIn)
  const capMicroUsd = minOf(limits.maxTradeMicroUsd, room.dayLeftMicroUsd, ...(left === null ? [] : [left]))
  const cap = capMicroUsd <= 0n ? 0n : atomsDown(capMicroUsd, price)
  const again = fills.attempt?.amountIn ?? slice
  const amountIn = minOf(slice, balance < 0n ? 0n : balance, cap, again)
  const microUsd = countedMicroUsd(amountIn, price)
  // Slices are equal: the co-signer signs so many, none larger.
  const isWhole = order.slices === 1 || amountIn === slice
  if (isWhole && worthDown(amountIn, price) >= MIN_PART_MICRO_USD) return { amountIn, microUsd }
  if (amountIn === slice || amountIn === again) return { why: WHY.small }
  return { why: amountIn === cap ? WHY.caps : WHY.balance }
}
