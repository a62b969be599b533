import { fromWireOrder, type Hex, type Order, type OrderList } from '@pit/chain'
import { decimalText, divUp } from '@pit/protocol'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal, readingAnswer } from '../errors.ts'
import { readAgentSession } from '../orders/agentSession.ts'
import { badOrder, buildList, checkedList, type OrderIntent } from '../orders/intent.ts'
import type { SpentById } from '../orders/readSpent.ts'
import { randomWord } from '../orders/receipt.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'
import { readTokens, type TokenInfos } from '../orders/tokens.ts'
import { listOrders, PAPER_SESSION } from './cancelOrders.ts'
import { confirmAndPlace, type PlacedList, type PlaceOrdersOptions } from './placeOrders.ts'

export interface ReplaceOrderRequest {
  agentId: string
  id: Hex
  /**
   * Fields of the intention that differ. `amount` and `least` are for all of it, with what was spent before: the new
   * order sells what is left.
   */
  change: Partial<Omit<OrderIntent, 'sell' | 'buy' | 'group' | 'parent'>>
}

/**
 * Places a changed order that ends the old one when it is registered, so that no moment is uncovered. Both have one
 * budget: what the old one spent, by a receipt of the co-signer, is taken off the new one. If the old one trades
 * meanwhile, `confirm` is asked again.
 * @param request agent, order and the fields that change
 * @param options `confirm` receives the list in words
 * @returns as `orders.place`
 * @throws NO_ORDER the order has ended, or nothing is left of it
 * @throws ORDER_REPLACED the order kept trading while it was being replaced
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm the list, or what was spent
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
  { agentId, change, ...request }: ReplaceOrderRequest,
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  await deps.checked()
  const id = request.id.toLowerCase() as Hex
  const session = await readAgentSession(deps, agentId, options)
  const own = (await recordedOrders(deps)).find((one) => one.id === id)
  if (own && own.session !== (session?.hash ?? PAPER_SESSION))
    throw new PitRefusal('NO_ORDER', `Order ${id} belongs to another session than the agent’s.`, {
      hint: 'Cancel it, and place the new one.',
    })
  // Without a record the terms are the server's word: its owner must see them first.
  if (session && !own && !options.confirm)
    throw new PitRefusal(
      'INTENT_NEEDED',
      'The order was not signed on this machine, so it cannot be verified.',
      {
        hint: 'Confirm the new order yourself, or place it with all of its terms.',
      },
    )
  const order = own?.order ?? (await listedOrder(deps, { agentId, id }, options))
  if (change.trigger && change.trigger.kind !== order.trigger.kind)
    badOrder('a moved order keeps the kind of its trigger')
  if (order.group > 0 || order.parent > 0)
    badOrder('it belongs to a bracket: place a new one that replaces it')
  const tokens = await readTokens(deps, [order.tokenIn, order.tokenOut], options)
  const { least: _, ...unbounded } = intentOf(tokens, order)
  const intent = { ...(change.limit || change.least ? unbounded : intentOf(tokens, order)), ...change }
  const whole = buildList(deps.pins, tokens, {
    session: session?.hash ?? PAPER_SESSION,
    nonce: randomWord(),
    replaces: [],
    orders: [intent],
    expiresAt: order.expiresAt,
  })
  const build = (spent: SpentById): OrderList => {
    const spentIn = spent.get(id)!
    const replaces = [{ id, spentIn }]
    return checkedList({ ...whole, replaces, orders: [restOf(whole.orders[0]!, spentIn)] })
  }
  return confirmAndPlace(deps, { agentId, session, tokens, replaces: [id], stated: null, build }, options)
}

async function listedOrder(
  deps: ClientDeps,
  { agentId, id }: { agentId: string; id: Hex },
  options: PlaceOrdersOptions,
): Promise<Order> {
  const { orders } = await listOrders(deps, agentId, options)
  const row = orders.find((one) => one.id.toLowerCase() === id)
  if (!row)
    throw new PitRefusal('NO_ORDER', `Agent ${agentId} has no order ${id}.`, {
      hint: `List its orders: pit orders ${agentId}.`,
    })
  return readingAnswer('RECIPIENT', () => fromWireOrder(row.order as never))
}

/** The rest of an intention, at the same least price. */
function restOf(order: Order, spentIn: bigint): Order {
  const { amountIn, minAmountOut } = order
  const rest = amountIn - spentIn
  if (rest <= 0n)
    throw new PitRefusal(
      'NO_ORDER',
      'All of the order was sold or may still be: nothing is left to replace.',
      {
        hint: 'List the orders to see their state. To sell more, place a new order.',
      },
    )
  return { ...order, amountIn: rest, minAmountOut: divUp(minAmountOut * rest, amountIn) }
}

/** An order as its owner states it. */
function intentOf(tokens: TokenInfos, order: Order): OrderIntent {
  const { trigger, tokenIn, tokenOut, amountIn, minAmountOut, slices, everyS } = order
  const text = (atoms: bigint, token: typeof tokenIn) => decimalText(atoms, tokens.get(token)!.decimals)
  return {
    sell: tokenIn,
    buy: tokenOut,
    amount: text(amountIn, tokenIn),
    ...(minAmountOut > 0n && { least: text(minAmountOut, tokenOut) }),
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
