import {
  type Hex,
  type OrderList,
  orderId,
  orderListHash,
  orderTypedData,
  type Receipt,
  toWireOrders,
} from '@pit/chain'
import { type Answer, atomsDown, decimalText, microUsdDown, parseDecimal, worthDown } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, PitRefusal, readingAnswer } from '../errors.ts'
import { type AgentSession, readAgentSession } from '../orders/agentSession.ts'
import { describeList, type ListTerms } from '../orders/describe.ts'
import { badOrder, buildList, namesIn, type OrderIntent } from '../orders/intent.ts'
import { bracketOrders, type Exits } from '../orders/kinds.ts'
import { mustHaveReceipt, randomWord, withinReceiptTime } from '../orders/receipt.ts'
import { readTokens, type TokenInfos } from '../orders/tokens.ts'
import { dearer } from '../own/ownPrice.ts'
import { readPrices } from '../own/price.ts'
import { hashing } from '../verify/grant.ts'
import { named } from './trade.ts'

export interface PlaceOrdersRequest {
  agentId: string
  orders: readonly OrderIntent[]
  /** Ids of orders that end when these are registered. */
  replaces?: readonly Hex[]
  /** 32 random bytes; repeat them and the list is the same one. */
  nonce?: Hex
}
export interface PlaceOrdersOptions extends VerbOptions {
  /** Receives the list that is signed, in words; false ends it with nothing signed. */
  confirm?(terms: ListTerms): Promise<boolean> | boolean
}
/**
 * Result of `orders.place`.
 * @public
 */
export interface PlacedList {
  agentId: string
  /** Hash of the list. */
  list: Hex
  ids: readonly Hex[]
  terms: ListTerms
  orders: Answer<'hosted.orders.place'>['orders']
  /** The pinned co-signer's; null on paper, where nothing is signed. */
  receipt: Receipt | null
}

const PAPER_SESSION: Hex = `0x${'0'.repeat(64)}`
const PAPER_S = 7 * 86_400

/**
 * Builds the list from the owner's intent, signs it and has the co-signer confirm it.
 * @param request agent and orders; prices and amounts are whole tokens as text
 * @param options `confirm` receives the list in words
 * @returns ids of the orders, and the co-signer's receipt (null on paper)
 * @throws BAD_ORDER an order contradicts itself
 * @throws SESSION_NEEDED a live agent has no session that this client signed
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm the list
 * @example
 * ```ts
 * const placed = await client.orders.place({
 *   agentId: agent.id,
 *   orders: [limitOrder(client.pins, { sell: 'USDG', buy: 'ETH', amount: '20' }, '100')],
 * })
 * console.log(placed.terms, placed.ids)
 * ```
 */
export async function placeOrders(
  deps: ClientDeps,
  { agentId, orders, replaces = [], nonce = randomWord() }: PlaceOrdersRequest,
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  await deps.checked()
  const session = await readAgentSession(deps, agentId, options)
  const tokens = await readTokens(deps, namesIn(orders), options)
  const list = buildList(deps.pins, tokens, {
    session: session?.hash ?? PAPER_SESSION,
    nonce,
    replaces,
    orders,
    expiresAt: session?.expiresS ?? Math.floor(deps.nowMs() / 1000) + PAPER_S,
  })
  return signAndPlace(deps, { agentId, session, list, tokens }, options)
}

export interface PlaceBracketRequest extends Omit<PlaceOrdersRequest, 'orders'> {
  entry: OrderIntent
  /** `amount`: the most that the exits may sell; by default by the client's own prices. */
  exits: Exits & { amount?: string }
}

/**
 * An entry with a stop, a take-profit or both; the exits are sized by the client's own prices.
 * @param request agent, entry and exits
 * @param options `confirm` receives the list in words
 * @returns as `orders.place`
 * @throws BAD_ORDER neither a stop nor a take-profit is given
 * @example
 * ```ts
 * const bracket = await client.orders.placeBracket({
 *   agentId: agent.id,
 *   entry: limitOrder(client.pins, { sell: 'USDG', buy: 'ETH', amount: '20' }, '100'),
 *   exits: { stopUsd: '90', profitUsd: '120' },
 * })
 * console.log(bracket.ids.length)
 * ```
 */
export async function placeBracket(
  deps: ClientDeps,
  { agentId, entry, exits, replaces = [] }: PlaceBracketRequest,
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  const amount = exits.amount ?? (await mostBought(deps, entry, options))
  const orders = bracketOrders(deps.pins, entry, { ...exits, amount })
  return placeOrders(deps, { agentId, orders, replaces }, options)
}

/**
 * Dollars in whole tokens, at the client's own prices.
 * @param params token and dollars
 * @param options `signal`
 * @returns the amount as text; null if the client has no price
 * @example
 * ```ts
 * console.log(await client.orders.sizeOf({ token: 'ETH', usd: 20 }))
 * ```
 */
export async function orderSize(
  deps: ClientDeps,
  { token, usd }: { token: string; usd: number },
  options: VerbOptions = {},
): Promise<string | null> {
  const [info] = (await readTokens(deps, [token], options)).values()
  const { rpc, pins, nowMs } = deps
  const prices = await readPrices(rpc, pins, info!.address, { nowMs: nowMs(), signal: options.signal })
  return prices && decimalText(atomsDown(microUsdDown(usd), dearer(prices)), info!.decimals)
}

/** An upper bound only: an exit sells no more than its entry bought. */
const ROOM = 2n

async function mostBought(deps: ClientDeps, entry: OrderIntent, options: VerbOptions): Promise<string> {
  const { pins, rpc, nowMs } = deps
  const tokens = await readTokens(deps, namesIn([entry]), options)
  const [sold, bought] = [tokens.get(named(pins, entry.sell))!, tokens.get(named(pins, entry.buy))!]
  const ask = { nowMs: nowMs(), signal: options.signal }
  const [paid, price] = await Promise.all([
    readPrices(rpc, pins, sold.address, ask),
    readPrices(rpc, pins, bought.address, ask),
  ])
  const atoms = parseDecimal(entry.amount, sold.decimals)
  if (!paid || !price || atoms === undefined)
    return badOrder('give the amount of the exits: no price is known')
  return decimalText(atomsDown(worthDown(atoms, paid.bid), price.ask) * ROOM, bought.decimals)
}

interface Placing {
  agentId: string
  session: AgentSession | null
  list: OrderList
  tokens: TokenInfos
}

/** Also used for a list that the server wants signed, after it was checked. */
export async function signAndPlace(
  deps: ClientDeps,
  { agentId, session, list, tokens }: Placing,
  options: PlaceOrdersOptions,
): Promise<PlacedList> {
  const { account, api, pins } = deps
  checkTokens(list, session)
  const terms = describeList(tokens, list)
  if (options.confirm && !(await options.confirm(terms)))
    throw new PitRefusal('NOT_CONFIRMED', 'The orders were not confirmed; nothing was signed.')
  const hash = orderListHash(hashing, list)
  const ids = list.orders.map((_, i) => orderId(hashing, hash, i))
  const challenge = randomWord()
  const signature =
    session && normalized(await account.signTypedData(orderTypedData(pins.addresses, list) as never))
  // Recorded before it is sent: the server may hide the list later.
  if (session) await deps.records.putOrderList(list)
  const body = { list: toWireOrders(list), ...(signature && { signature, challenge }) }
  const answer = await withinReceiptTime(
    (call) => api['hosted.orders.place']({ params: { id: agentId }, body: body as never }, call),
    options,
  )
  const receipt =
    session &&
    (await mustHaveReceipt(deps, answer.receipt, {
      what: 'registered',
      session: session.hash,
      id: hash,
      challenge,
    }))
  await readingAnswer('RECIPIENT', () => {
    const isIt = answer.list.toLowerCase() === hash
    must(isIt, 'RECIPIENT', 'the response is about another list')
  })
  return { agentId, list: hash, ids, terms, orders: answer.orders, receipt }
}

function checkTokens({ orders }: OrderList, session: AgentSession | null): void {
  if (!session) return
  const outside = orders.flatMap(({ tokenIn, tokenOut }) =>
    [tokenIn, tokenOut].filter((token) => !session.tokens.includes(token)),
  )
  if (outside.length > 0) badOrder(`the session does not trade ${[...new Set(outside)].join(', ')}`)
}
