import {
  type Address,
  type Hex,
  NATIVE,
  type Order,
  type OrderList,
  orderFault,
  type Replaced,
  type Trigger,
} from '@pit/chain'
import { divUp, parseDecimal, powerOfTen } from '@pit/protocol'
import { PitRefusal } from '../errors.ts'
import { type Pins, tokenNamed } from '../pins.ts'
import type { TokenInfo, TokenInfos } from './tokens.ts'

/**
 * An order as its owner states it. Tokens are core symbols or addresses, amounts whole tokens as text.
 * @public
 */
export interface OrderIntent {
  sell: string
  buy: string
  /** The most that it may ever sell, fees included. */
  amount: string
  /** The least received for all of it, after fees; absent for a market order. */
  least?: string | undefined
  /** The same as a price: of one whole token sold, or of one whole token bought, in the other token. */
  limit?: { of: 'sell' | 'buy'; price: string } | undefined
  maxSlippageBps?: number | undefined
  trigger?: TriggerIntent | undefined
  /** Equal parts, at least `everyS` apart. */
  slices?: number | undefined
  everyS?: number | undefined
  startsAt?: number | undefined
  expiresAt?: number | undefined
  group?: number | undefined
  /** Position (from 1) of the entry whose fills arm it. */
  parent?: number | undefined
}
/**
 * When an order starts to trade: at a price, or at a distance from an earlier one.
 * @public
 */
export type TriggerIntent =
  | { kind: 'at_or_below' | 'at_or_above'; priceUsd: string; token?: string | undefined }
  | { kind: 'trailing'; trailBps: number; token?: string | undefined }

export const DEFAULT_SLIPPAGE_BPS = 100

export interface ListRequest {
  session: Hex
  nonce: Hex
  replaces: readonly Replaced[]
  orders: readonly OrderIntent[]
  /** For orders without one. */
  expiresAt: number
}

export const badOrder = (why: string): never => {
  throw new PitRefusal('BAD_ORDER', `The order is not valid: ${why}.`, {
    hint: 'Correct the order. Nothing was signed.',
  })
}

/** The list that the owner signs, built from the intent alone. */
export function buildList(pins: Pins, tokens: TokenInfos, request: ListRequest): OrderList {
  const { session, nonce, replaces, expiresAt } = request
  const orders = request.orders.map((intent) => orderOf(pins, tokens, intent, expiresAt))
  return checkedList({ session, nonce, replaces, orders })
}

export function checkedList(list: OrderList): OrderList {
  const fault = orderFault(list)
  if (fault)
    badOrder(`${fault.index === null ? '' : `order ${fault.index + 1}: `}${fault.field} ${fault.message}`)
  return list
}

/** Every token that an intent names. */
export const namesIn = (orders: readonly OrderIntent[]): string[] =>
  orders.flatMap(({ sell, buy, trigger }) => [sell, buy, ...(trigger?.token ? [trigger.token] : [])])

function orderOf(pins: Pins, tokens: TokenInfos, intent: OrderIntent, expiresAt: number): Order {
  const infoOf = (name: string): TokenInfo => tokens.get(tokenNamed(pins, name)!)!
  const [sold, bought] = [infoOf(intent.sell), infoOf(intent.buy)]
  const amountIn = atomsOf(intent.amount, sold)
  const { slices = 1, everyS = 0, startsAt = 0 } = intent
  return {
    tokenIn: sold.address,
    tokenOut: bought.address,
    amountIn,
    minAmountOut: leastOut(intent, { sold, bought, amountIn }),
    maxSlippageBps: intent.maxSlippageBps ?? DEFAULT_SLIPPAGE_BPS,
    trigger: triggerOf(intent.trigger, (name) => infoOf(name).address, assetOf(pins, sold, bought)),
    slices,
    everyS,
    startsAt,
    expiresAt: intent.expiresAt ?? expiresAt,
    group: intent.group ?? 0,
    parent: intent.parent ?? 0,
  }
}

/** The token whose price an order is about: the one that is not USDG, or the one sold. */
export const assetOf = (pins: Pins, sold: { address: Address }, bought: { address: Address }): Address =>
  sold.address === tokenNamed(pins, 'USDG') ? bought.address : sold.address

function leastOut(
  { least, limit }: OrderIntent,
  { sold, bought, amountIn }: { sold: TokenInfo; bought: TokenInfo; amountIn: bigint },
): bigint {
  if (least !== undefined && limit !== undefined) badOrder('give a least amount or a limit price, not both')
  if (least !== undefined) return atomsOf(least, bought)
  if (limit === undefined) return 0n
  const priceE18 = priceOf(limit.price)
  const [inUnit, outUnit] = [powerOfTen(sold.decimals), powerOfTen(bought.decimals)]
  // Rounded up: never a worse price than stated.
  return limit.of === 'sell'
    ? divUp(amountIn * priceE18 * outUnit, inUnit * E18)
    : divUp(amountIn * E18 * outUnit, inUnit * priceE18)
}

function triggerOf(
  intent: TriggerIntent | undefined,
  addressOf: (name: string) => Address,
  asset: Address,
): Trigger {
  if (intent === undefined) return { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 }
  const token = intent.token === undefined ? asset : addressOf(intent.token)
  if (intent.kind === 'trailing') return { kind: 'trailing', token, priceE18: 0n, trailBps: intent.trailBps }
  return { kind: intent.kind, token, priceE18: priceOf(intent.priceUsd), trailBps: 0 }
}

const E18 = powerOfTen(18)

function atomsOf(text: string, { decimals, name }: TokenInfo): bigint {
  const atoms = parseDecimal(text, decimals)
  return atoms !== undefined && atoms > 0n ? atoms : badOrder(`${text} is not an amount of ${name}`)
}

function priceOf(text: string): bigint {
  const price = parseDecimal(text, 18)
  return price !== undefined && price > 0n ? price : badOrder(`${text} is not a price`)
}
