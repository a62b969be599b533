import { fromWireOrders, type Hex, type Order } from '@pit/chain'
import { decimalText, divUp } from '@pit/protocol'
import type { ClientDeps } from '../deps.ts'
import { must, PitRefusal, readingAnswer } from '../errors.ts'
import { readAgentSession } from '../orders/agentSession.ts'
import { badOrder, type OrderIntent } from '../orders/intent.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'
import { readTokens, type TokenInfos } from '../orders/tokens.ts'
import { isOpenOrder, listOrders } from './cancelOrders.ts'
import { type PlacedList, type PlaceOrdersOptions, placeOrders } from './placeOrders.ts'

export interface ReplaceOrderRequest {
  agentId: string
  id: Hex
  /** Fields of the new order that differ. */
  change: Partial<Omit<OrderIntent, 'sell' | 'buy' | 'group' | 'parent'>>
}

/**
 * Places a changed order that ends the old one when it is registered, so that no moment is uncovered.
 * @param request agent, order and the fields that change
 * @param options `confirm` receives the list in words
 * @returns as `orders.place`
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm the list
 * @example
 * ```ts
 * const moved = await client.orders.replace({
 *   agentId: agent.id,
 *   id: placed.ids[0]!,
 *   change: { limit: { of: 'buy', price: '110' } },
 * })
 * console.log(moved.ids)
 * ```
 */
export async function replaceOrder(
  deps: ClientDeps,
  { agentId, id, change }: ReplaceOrderRequest,
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  const { orders } = await listOrders(deps, agentId, options)
  const row = orders.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (!row || !isOpenOrder(row))
    throw new PitRefusal('NO_ORDER', `Agent ${agentId} has no open order ${id}.`, {
      hint: `List its orders: pit orders ${agentId}.`,
    })
  const session = await readAgentSession(deps, agentId, options)
  const own = session && (await recordedOrders(deps, session.hash)).find((one) => one.id === id.toLowerCase())
  // Without a record the terms are the server's word: its owner must see them first.
  if (session && !own && !options.confirm)
    throw new PitRefusal(
      'INTENT_NEEDED',
      'The order was not signed on this machine, so it cannot be verified.',
      {
        hint: 'Confirm the new order yourself, or place it with all of its terms.',
      },
    )
  const order = own?.order ?? (await readingAnswer('RECIPIENT', () => orderIn(row.order)))
  if (change.trigger && change.trigger.kind !== order.trigger.kind)
    badOrder('a moved order keeps the kind of its trigger')
  if (order.group > 0 || order.parent > 0)
    badOrder('it belongs to a bracket: place a new one that replaces it')
  const tokens = await readTokens(deps, [order.tokenIn, order.tokenOut], options)
  const filled = await readingAnswer('RECIPIENT', () => BigInt(row.filled_in))
  must(filled >= 0n && filled < order.amountIn, 'RECIPIENT', 'the order’s fills do not fit its amount')
  const whole = intentOf(tokens, order, order.amountIn - filled)
  const { least: _, ...unbounded } = whole
  const intent = { ...(change.limit || change.least ? unbounded : whole), ...change }
  return placeOrders(deps, { agentId, orders: [intent], replaces: [id] }, options)
}

function orderIn(wire: object): Order {
  const zero: Hex = `0x${'0'.repeat(64)}`
  return fromWireOrders({ session: zero, nonce: zero, replaces: [], orders: [wire as never] }).orders[0]!
}

/** The rest of an order, at the same least price. */
function intentOf(tokens: TokenInfos, order: Order, rest: bigint): OrderIntent {
  const { trigger, tokenIn, tokenOut, amountIn, minAmountOut, slices, everyS } = order
  const text = (atoms: bigint, token: typeof tokenIn) => decimalText(atoms, tokens.get(token)!.decimals)
  return {
    sell: tokenIn,
    buy: tokenOut,
    amount: text(rest, tokenIn),
    ...(minAmountOut > 0n && { least: text(divUp(minAmountOut * rest, amountIn), tokenOut) }),
    maxSlippageBps: order.maxSlippageBps,
    ...(trigger.kind === 'trailing' && {
      trigger: { kind: 'trailing', trailBps: trigger.trailBps, token: trigger.token },
    }),
    ...((trigger.kind === 'at_or_above' || trigger.kind === 'at_or_below') && {
      trigger: { kind: trigger.kind, priceUsd: decimalText(trigger.priceE18, 18), token: trigger.token },
    }),
    slices,
    everyS,
    startsAt: order.startsAt,
    expiresAt: order.expiresAt,
  }
}
