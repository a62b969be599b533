import type { Address, Hex, OrderList, Receipt, Replaced } from '@pit/chain'
import { type Answer, atomsDown, decimalText, microUsdDown, parseDecimal, worthDown } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'
import { type AgentSession, readAgentSession } from '../orders/agentSession.ts'
import { describeList, type ListTerms } from '../orders/describe.ts'
import { handOverList, type ListNames } from '../orders/handOverList.ts'
import { badOrder, buildList, namesIn, type OrderIntent } from '../orders/intent.ts'
import { bracketOrders, type Exits } from '../orders/kinds.ts'
import { readSpent, type SpentById } from '../orders/readSpent.ts'
import { randomWord, unconfirmed } from '../orders/receipt.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'
import { readTokens, type TokenInfos } from '../orders/tokens.ts'
import { dearer } from '../own/ownPrice.ts'
import { readPrices } from '../own/price.ts'
import { PAPER_SESSION } from './cancelOrders.ts'
import { named } from './trade.ts'

export interface PlaceOrdersRequest {
  agentId: string
  orders: readonly OrderIntent[]
  /**
   * Orders that end when these are registered, and what of each is spent as far as the caller knows; an id alone:
   * nothing. If the co-signer counts another amount, `confirm` is asked again, and without it nothing is signed.
   */
  replaces?: readonly (Hex | Replaced)[]
  /** 32 random bytes; repeat them and the list is the same one. */
  nonce?: Hex
}
export interface PlaceOrdersOptions extends VerbOptions {
  /** Receives the list that is signed, in words, and again if it changes; false ends it with nothing signed. */
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

const PAPER_S = 7 * 86_400

/**
 * Builds the list from the owner's intent, signs it and has the co-signer confirm it.
 * @param request agent and orders; prices and amounts are whole tokens as text
 * @param options `confirm` receives the list in words
 * @returns ids of the orders, and the co-signer's receipt (null on paper)
 * @throws BAD_ORDER an order contradicts itself
 * @throws SESSION_NEEDED a live agent has no session that this client signed
 * @throws ORDER_REPLACED another amount of a replaced order is spent than stated
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm the list; `details` name it and its orders
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
  const stated = new Map(
    replaces.map((one) => (typeof one === 'string' ? [idOf(one), 0n] : [idOf(one.id), one.spentIn])),
  )
  const build = (spent: SpentById): OrderList =>
    buildList(deps.pins, tokens, {
      session: session?.hash ?? PAPER_SESSION,
      nonce,
      replaces: [...spent].map(([id, spentIn]) => ({ id, spentIn })),
      orders,
      expiresAt: session?.expiresS ?? Math.floor(deps.nowMs() / 1000) + PAPER_S,
    })
  return confirmAndPlace(
    deps,
    { agentId, session, tokens, replaces: [...stated.keys()], stated, build },
    options,
  )
}

const idOf = (id: Hex): Hex => id.toLowerCase() as Hex

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
  request: PlaceBracketRequest,
  options: PlaceOrdersOptions = {},
): Promise<PlacedList> {
  return placeOrders(deps, await bracketRequest(deps, request, options), options)
}

/**
 * The request of a bracket with its exits sized, for `orders.place`. Store it: the same request is the same list.
 * @param request agent, entry and exits
 * @param options `signal`
 * @returns orders and nonce; nothing is signed
 * @throws BAD_ORDER neither a stop nor a take-profit is given
 * @example
 * ```ts
 * const bracketOf = (entry: OrderIntent) =>
 *   client.orders.bracketRequest({ agentId: agent.id, entry, exits: { stopUsd: '90' } })
 * ```
 */
export async function bracketRequest(
  deps: ClientDeps,
  { agentId, entry, exits, replaces = [], nonce = randomWord() }: PlaceBracketRequest,
  options: VerbOptions = {},
): Promise<PlaceOrdersRequest> {
  const amount = exits.amount ?? (await mostBought(deps, entry, options))
  return { agentId, orders: bracketOrders(deps.pins, entry, { ...exits, amount }), replaces, nonce }
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
  tokens: TokenInfos
  /** Ids of replaced orders. */
  replaces: readonly Hex[]
  /** Their spent amounts as far as the caller knows; null if the list takes them off its own amount. */
  stated: SpentById | null
  build(spent: SpentById): OrderList
}

/** A replaced order that trades at the prompt is shown again this often. */
const MAX_ROUNDS = 5

/**
 * Shows the list, reads again what the replaced orders spent, and signs only what was shown. A change that comes
 * even later is refused by the co-signer, and shown again.
 */
export async function confirmAndPlace(
  deps: ClientDeps,
  { agentId, session, tokens, replaces, stated, build }: Placing,
  options: PlaceOrdersOptions,
): Promise<PlacedList> {
  const read = () => readSpent(deps, { agentId, session, ids: replaces }, options)
  let signed: ListNames | null = null
  let spent = await read()
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const list = build(spent)
      checkTokens(list, session)
      if (stated && !options.confirm && !isEqual(spent, stated)) break
      const terms = describeList(tokens, list, await soldBy(deps, replaces))
      if (options.confirm && !(await options.confirm(terms)))
        throw new PitRefusal('NOT_CONFIRMED', 'The orders were not confirmed; nothing was signed.')
      const shown = spent
      spent = await read()
      if (!isEqual(spent, shown)) continue
      const hasChanged = () => read().then((now) => !isEqual(now, shown), isNotRefused)
      const placed = await handOverList(deps, { agentId, session, list, hasChanged }, options)
      if ('receipt' in placed) return { agentId, terms, ...placed }
      signed = placed
      spent = await read()
    }
    throw otherwiseSpent(spent)
  } catch (error) {
    if (signed === null || !isRefusal(error) || error.code === 'RECEIPT_MISSING') throw error
    return unconfirmed(`the replaced order traded meanwhile (${error.code})`, {
      details: { ...signed },
      cause: error,
    })
  }
}

/** An order that cannot be read has not been shown to trade. */
function isNotRefused(error: unknown): false {
  if (!isRefusal(error)) throw error
  return false
}

const isEqual = (one: SpentById, other: SpentById): boolean =>
  [...one].every(([id, amount]) => other.get(id) === amount)

const otherwiseSpent = (spent: SpentById): PitRefusal =>
  new PitRefusal('ORDER_REPLACED', 'Another amount of the replaced order is spent or may still be sent.', {
    retry: 'different_request',
    hint: 'Decide how much the new order may sell, and state what was spent of the replaced one.',
    details: { spent: [...spent].map(([id, amount]) => ({ id, spent_in: amount.toString() })) },
  })

/** The token that each of these orders sells, by the own record. */
async function soldBy(deps: ClientDeps, ids: readonly Hex[]): Promise<Map<Hex, Address>> {
  const recorded = ids.length === 0 ? [] : await recordedOrders(deps)
  return new Map(recorded.flatMap(({ id, order }) => (ids.includes(id) ? [[id, order.tokenIn]] : [])))
}

function checkTokens({ orders }: OrderList, session: AgentSession | null): void {
  if (!session) return
  const outside = orders.flatMap(({ tokenIn, tokenOut }) =>
    [tokenIn, tokenOut].filter((token) => !session.tokens.includes(token)),
  )
  if (outside.length > 0) badOrder(`the session does not trade ${[...new Set(outside)].join(', ')}`)
}
