import { randomBytes } from 'node:crypto'
import type { Hex } from '@pit/chain'
import {
  bracketOrders,
  isRefusal,
  limitOrder,
  type OrderBase,
  type OrderIntent,
  type Pins,
  type PlacedList,
  stopOrder,
  takeProfitOrder,
  trailingOrder,
  twapOrder,
} from '@pit/client'
import { ToolRefusal } from '../refusal.ts'
import { checkCeilings } from './ceilings.ts'
import type { StoredOrder, TradeIntent } from './journal.ts'
import { checkSame, noOwnPrice, type Trading } from './placeTrade.ts'

export const ORDER_KINDS = ['limit', 'stop', 'take_profit', 'trailing', 'twap', 'bracket'] as const
export type OrderKind = (typeof ORDER_KINDS)[number]

export interface OrderArgs {
  agent_id: string
  kind: OrderKind
  token_in: string
  token_out: string
  notional_usd: number
  price?: number
  min_price?: number
  trail_percent?: number
  parts?: number
  every_s?: number
  stop_price?: number
  profit_price?: number
  valid_for_s?: number
}

/** At most as long as the day that its dollars are reserved for. */
export const MAX_VALID_S = 86_400

/**
 * Signs an order at most once per client id, within the limits. All of its dollars count from now on for a day,
 * and it ends within that day, whether it is filled or not.
 */
export async function placeOrder(trading: Trading, clientId: string, args: OrderArgs): Promise<PlacedList> {
  const { client, journal, nowMs } = trading
  const intent = intentOf(args)
  journal.claim()
  checkSame(journal.find(clientId), intent)
  return trading.inTurn(async () => {
    const entry = journal.find(clientId)
    checkSame(entry, intent)
    const microUsd = checkCeilings(trading.ceilings, journal, {
      clientId,
      usd: args.notional_usd,
      nowMs: nowMs(),
    })
    const isRepeated = entry?.state === 'ordered'
    const request = isRepeated ? entry.request : await requestOf(trading, args)
    const reservation = isRepeated
      ? { clientId, asked: intent, microUsd: entry.microUsd, reservedAtMs: entry.reservedAtMs }
      : { clientId, asked: intent, microUsd, reservedAtMs: nowMs() }
    if (!isRepeated) journal.write({ ...reservation, state: 'reserved' })
    const beforeSigning = () => {
      journal.write({ ...reservation, state: 'ordered', request, ids: isRepeated ? entry.ids : null })
      return true
    }
    try {
      const placed = await client.orders.place(request, { confirm: beforeSigning })
      journal.write({ ...reservation, state: 'ordered', request, ids: placed.ids })
      return placed
    } catch (error) {
      // Nothing was signed, so the dollars are released.
      if (journal.find(clientId)?.state === 'reserved')
        journal.write({ ...reservation, state: 'refused', code: isRefusal(error) ? error.code : 'FAILED' })
      throw error
    }
  })
}

async function requestOf({ client, nowMs }: Trading, args: OrderArgs): Promise<StoredOrder> {
  const amount = await client.orders.sizeOf({ token: args.token_in, usd: args.notional_usd })
  if (amount === null) throw noOwnPrice()
  const nowS = Math.floor(nowMs() / 1000)
  // A stated time is kept or refused; the default ends with the session.
  const expiresAt =
    args.valid_for_s === undefined
      ? Math.min(
          nowS + MAX_VALID_S,
          (await client.orders.latestEnd(args.agent_id)) ?? Number.POSITIVE_INFINITY,
        )
      : nowS + args.valid_for_s
  const base = { sell: args.token_in, buy: args.token_out, amount, expiresAt }
  return {
    agentId: args.agent_id,
    nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
    orders: await ordersOf(client, base, args),
  }
}

type Terms = Omit<OrderArgs, 'kind'>

async function ordersOf(
  client: Trading['client'],
  base: OrderBase,
  { kind, ...terms }: OrderArgs,
): Promise<OrderIntent[]> {
  return kind === 'bracket'
    ? bracketOf(client, base, terms)
    : [orderOf(client.pins, base, { kind, ...terms })]
}

/** The exits sell no more than the entry received; their amount is only an upper bound. */
const EXIT_ROOM = 2

async function bracketOf(
  client: Trading['client'],
  base: OrderBase,
  { price, stop_price, min_price, profit_price, token_out, notional_usd }: Terms,
): Promise<OrderIntent[]> {
  if (profit_price === undefined) need(stop_price, 'stop_price or profit_price')
  const amount = await client.orders.sizeOf({ token: token_out, usd: EXIT_ROOM * notional_usd })
  if (amount === null) throw noOwnPrice()
  const entry = price === undefined ? base : limitOrder(client.pins, base, decimalOf(price))
  return bracketOrders(client.pins, entry, {
    amount,
    stopUsd: stop_price === undefined ? undefined : decimalOf(stop_price),
    stopLeast: min_price === undefined ? undefined : decimalOf(min_price),
    profitUsd: profit_price === undefined ? undefined : decimalOf(profit_price),
  })
}

function orderOf(
  pins: Pins,
  base: OrderBase,
  args: Terms & { kind: Exclude<OrderKind, 'bracket'> },
): OrderIntent {
  const { kind, price, min_price, trail_percent, parts, every_s } = args
  const least = min_price === undefined ? undefined : decimalOf(min_price)
  switch (kind) {
    case 'limit':
      return limitOrder(pins, base, decimalOf(need(price, 'price')))
    case 'stop':
      return stopOrder(pins, base, decimalOf(need(price, 'price')), least)
    case 'take_profit':
      return takeProfitOrder(pins, base, decimalOf(need(price, 'price')), least)
    case 'trailing':
      return trailingOrder(base, Math.round(need(trail_percent, 'trail_percent') * 100))
    case 'twap':
      return twapOrder(pins, base, {
        slices: need(parts, 'parts'),
        everyS: need(every_s, 'every_s'),
        price: price === undefined ? undefined : decimalOf(price),
      })
  }
}

/** Without an exponent. */
const decimalOf = (value: number): string =>
  value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 18 })

function need(value: number | undefined, name: string): number {
  if (value !== undefined) return value
  throw new ToolRefusal('BAD_PARAMETER', `This kind of order needs ${name}.`, `Call it again with ${name}.`)
}

const intentOf = ({ token_in, token_out, notional_usd, ...order }: OrderArgs): TradeIntent => ({
  sell: token_in,
  buy: token_out,
  usd: notional_usd,
  order: { ...order },
})
