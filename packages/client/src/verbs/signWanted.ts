import {
  type Address,
  fromWireOrders,
  type Order,
  type OrderList,
  orderFault,
  orderListHash,
  orderTypedData,
} from '@pit/chain'
import { type Answer, canonicalJson, type Json, worthDown, worthUp } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, PitRefusal, readingAnswer, refuse } from '../errors.ts'
import { type AgentSession, readAgentSession } from '../orders/agentSession.ts'
import { readTokens } from '../orders/tokens.ts'
import { checkBounds } from '../orders/wantedBounds.ts'
import { readPrices } from '../own/price.ts'
import { hashing } from '../verify/grant.ts'
import { listOrders } from './cancelOrders.ts'
import { confirmAndPlace, type PlacedList, type PlaceOrdersOptions } from './placeOrders.ts'

export type WantedSignature = Answer<'hosted.orders.list'>['wanted'][number]

/** An hour, and what clocks may differ by. */
const MAX_VALID_S = 3_600 + 60
const PRICE_BAND_BPS = 1_000n

/**
 * Signs a list that an agent waits for, once the client has checked every part of it itself.
 * @param params agent, and the id of the wanted signature
 * @param options `confirm` receives the list in words
 * @returns as `orders.place`
 * @throws SIGNING_MISMATCH the list is not for your session, or its text is another
 * @throws VERIFICATION_FAILED a minimum is far below your node's price (PRICE), or it is more than one trade within
 * the agent's recorded limits (GRANT_CAPS)
 * @throws INTENT_NEEDED the agent was created on another machine
 * @example
 * ```ts
 * for (const { id } of listed.wanted) await client.orders.signWanted({ agentId: agent.id, id })
 * ```
 */
export async function signWanted(
  deps: ClientDeps,
  { agentId, id }: { agentId: string; id: string },
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  const session = await readAgentSession(deps, agentId, options)
  const { wanted } = await listOrders(deps, agentId, options)
  const request = wanted.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (!session || !request)
    throw new PitRefusal('NOT_WANTED', `Agent ${agentId} waits for no signature ${id}.`, {
      hint: `List what it waits for: pit orders ${agentId}.`,
    })
  const list = await readingAnswer('RECIPIENT', () => checkWanted(deps, session, request))
  await checkPrices(deps, list, options)
  await checkBounds(deps, { agentId, session, list }, options)
  const addresses = list.orders.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
  const tokens = await readTokens(deps, addresses, options)
  const placing = { agentId, session, tokens, replaces: [], stated: null, build: () => list }
  return confirmAndPlace(deps, placing, options)
}

/** The list itself decides: what the server says about it must be the same. */
export function checkWanted(
  { pins, nowMs }: Pick<ClientDeps, 'pins' | 'nowMs'>,
  session: AgentSession,
  request: WantedSignature,
): OrderList {
  const list = fromWireOrders(request.list as never)
  const fault = orderFault(list)
  if (fault) broken('RECIPIENT', `the list to sign is not valid: ${fault.field} ${fault.message}`)
  must(list.session === session.hash, 'RECIPIENT', 'the list to sign is of another session')
  must(list.replaces.length === 0, 'RECIPIENT', 'the list to sign ends other orders')
  const isSame = orderListHash(hashing, list) === request.id.toLowerCase()
  if (!isSame) refuse('SIGNING_MISMATCH', 'the list to sign has another hash than its id')
  const own = plainJson(orderTypedData(pins.addresses, list))
  const { message, domain, primaryType } = request.typed_data as Record<string, Json>
  const shown = plainJson({ message, domain, primaryType })
  const isShown = ['message', 'domain', 'primaryType'].every(
    (part) => canonicalJson(shown[part]!) === canonicalJson(own[part]!),
  )
  if (!isShown) refuse('SIGNING_MISMATCH', 'the typed data differs from the list to sign')
  for (const order of list.orders) {
    const { tokenIn, tokenOut, trigger, slices, minAmountOut, expiresAt } = order
    const isSimple = trigger.kind === 'none' && slices === 1 && minAmountOut > 0n
    must(isSimple, 'RECIPIENT', 'the list to sign is more than one trade with a minimum')
    const isInSession = [tokenIn, tokenOut].every((token) => session.tokens.includes(token))
    must(isInSession, 'RECIPIENT', 'the list to sign has a token outside the session')
    const isShort = expiresAt <= nowMs() / 1000 + MAX_VALID_S
    must(isShort, 'RECIPIENT', 'the list to sign is valid for more than an hour')
  }
  return list
}

/** Integers as text and hex in lower case, so that spellings do not matter. */
const plainJson = (data: unknown): Record<string, Json> =>
  JSON.parse(
    JSON.stringify(data, (_, value: unknown) => {
      if (typeof value === 'bigint' || typeof value === 'number') return String(value)
      return typeof value === 'string' ? value.toLowerCase() : value
    }),
  )

/** Each minimum must be worth at least nine tenths of what is sold, by the client's own prices. */
export async function checkPrices(
  deps: ClientDeps,
  { orders }: OrderList,
  options: VerbOptions,
): Promise<void> {
  for (const order of orders) {
    const [sold, bought] = await Promise.all([
      priceOf(deps, order.tokenIn, options),
      priceOf(deps, order.tokenOut, options),
    ])
    must(
      isFair(order, sold.ask, bought.bid),
      'PRICE',
      'the minimum of the list to sign is over 10% below your node’s price',
      {
        amount_in: order.amountIn.toString(),
        min_amount_out: order.minAmountOut.toString(),
      },
    )
  }
}

type Prices = NonNullable<Awaited<ReturnType<typeof readPrices>>>

const isFair = ({ amountIn, minAmountOut }: Order, sold: Prices['ask'], bought: Prices['bid']): boolean =>
  worthDown(minAmountOut, bought) * 10_000n >= worthUp(amountIn, sold) * (10_000n - PRICE_BAND_BPS)

async function priceOf({ rpc, pins, nowMs }: ClientDeps, token: Address, { signal }: VerbOptions) {
  const prices = await readPrices(rpc, pins, token, { nowMs: nowMs(), signal })
  return prices ?? broken('PRICE', 'your node has no price for a token of the list to sign', { token })
}
