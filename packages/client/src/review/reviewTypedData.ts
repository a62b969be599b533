import {
  type Address,
  type Delegation,
  delegationTypedData,
  type Hex,
  type Order,
  type OrderList,
  orderTypedData,
  type PermitSingle,
  permitTypedData,
  readRoot,
  type SessionRoot,
  TRIGGER_KINDS,
} from '@pit/chain'
import { lower } from '@pit/protocol'
import type { TypedData } from '../account.ts'
import { describeList } from '../orders/describe.ts'
import { pinnedTokens } from '../orders/tokens.ts'
import type { Pins } from '../pins.ts'
import { hashing } from '../verify/grant.ts'
import type { Effect } from './effects.ts'
import { permitted } from './reviewCall.ts'
import { deny, type Reading, type ReviewContext } from './terms.ts'

/** As JSON carries it; whatever else it holds is caught by the comparison with the rebuild. */
interface DelegationMessage {
  delegate: string
  delegator: string
  authority: Hex
  caveats: { enforcer: string; terms: Hex }[]
  salt: string
}
type Fields<Name extends string> = Record<Name, string>
interface OrdersMessage {
  session: Hex
  nonce: Hex
  replaces: Fields<'id' | 'spentIn'>[]
  orders: (Fields<OrderField> & { trigger: Fields<keyof Order['trigger']> })[]
}
type OrderField = Exclude<keyof Order, 'trigger'>

type TypedReading = { data: TypedData; reading: Reading }

/** The known primary types, each read to the last field; `data` is the rebuild that is signed. */
export function reviewTypedData(context: ReviewContext, data: TypedData): TypedReading {
  switch (data.primaryType) {
    case 'Delegation':
      return readDelegation(context, data)
    case 'PermitSingle':
      return readPermit(context, data)
    case 'Orders':
      return readOrders(context, data)
    default:
      return deny(`typed data of type ${data.primaryType} is not signed`)
  }
}

function readDelegation(context: ReviewContext, data: TypedData): TypedReading {
  const { pins, wallet } = context
  const { delegate, delegator, authority, caveats, salt } = data.message as DelegationMessage
  const delegation: Delegation = {
    delegate: lower(delegate),
    delegator: lower(delegator),
    authority,
    caveats: caveats.map(({ enforcer, terms }) => ({
      enforcer: lower(enforcer),
      terms,
      args: '0x',
    })),
    salt: BigInt(salt),
    signature: '0x',
  }
  const root = readRoot(hashing, pins.addresses, delegation)
  if (!root || root.wallet !== wallet) return deny('the delegation is not a session of this wallet')
  if (pins.cosigner === null || root.cosigner !== pins.cosigner)
    return deny('the delegation is to another than the pinned co-signer')
  const rebuilt = delegationTypedData(pins.addresses, delegation)
  mustEqual(data, rebuilt)
  return { data: rebuilt, reading: readSession(context, root) }
}

function readSession({ pins, curves }: ReviewContext, root: SessionRoot): Reading {
  const { expiresS: untilS, maxTrades, eth } = root
  const session = (executor: Address | null, targets: readonly Address[]): Effect => ({
    ...{ kind: 'session', executor, targets, maxTrades, untilS, endsWithAll: root.nonce !== null },
    eth: eth && { dayWei: eth.dayWei, tradeWei: 'tradeWei' in eth ? eth.tradeWei : null },
  })
  if (root.kind === 'fee') {
    if (root.recipient !== pins.feeRecipient) deny('the fee goes to an unexpected address')
    return { title: 'Sign a session: fees of curve trades', effects: [session(null, [root.recipient])] }
  }
  if (root.kind === 'router' && root.router !== pins.router)
    deny('the session is for another router than the pinned one')
  const targets = root.kind === 'router' ? [root.router] : root.curves
  const listed = [pins.router, ...curves.map(({ id }) => id)]
  const strangers = targets.filter((target) => !listed.includes(target))
  return {
    title: 'Sign a session',
    effects: [session(root.executor, targets)],
    warnings: [
      'Dollar limits are enforced by the co-signer. Check them in the page before you continue.',
      ...strangers.map((curve) => `No pinned launchpad lists the curve ${curve} on the wallet’s node.`),
    ],
    confirmAddresses: strangers,
  }
}

function readPermit({ pins }: ReviewContext, data: TypedData): TypedReading {
  const { details, spender, sigDeadline } = data.message as {
    details: Record<string, string>
    spender: string
    sigDeadline: string
  }
  const permit: PermitSingle = {
    details: {
      token: lower(String(details['token'])),
      amount: BigInt(details['amount']!),
      expiration: Number(details['expiration']),
      nonce: Number(details['nonce']),
    },
    spender: lower(spender),
    sigDeadline: BigInt(sigDeadline),
  }
  if (permit.spender !== pins.router) deny('the permit is for another spender than the pinned router')
  const rebuilt = permitTypedData({ chainId: pins.profile.chain_id, permit2: pins.permit2 }, permit)
  mustEqual(data, rebuilt)
  return {
    data: rebuilt,
    reading: { title: 'Permit the router to take a token', effects: [permitted(permit)] },
  }
}

function readOrders({ pins }: ReviewContext, data: TypedData): TypedReading {
  const { session, nonce, replaces, orders } = data.message as OrdersMessage
  const list: OrderList = {
    session,
    nonce,
    replaces: replaces.map(({ id, spentIn }) => ({ id: lower(id), spentIn: BigInt(spentIn) })),
    orders: orders.map((order) => ({
      tokenIn: lower(order.tokenIn),
      tokenOut: lower(order.tokenOut),
      amountIn: BigInt(order.amountIn),
      minAmountOut: BigInt(order.minAmountOut),
      maxSlippageBps: Number(order.maxSlippageBps),
      trigger: triggerIn(order.trigger),
      slices: Number(order.slices),
      everyS: Number(order.everyS),
      startsAt: Number(order.startsAt),
      expiresAt: Number(order.expiresAt),
      group: Number(order.group),
      parent: Number(order.parent),
    })),
  }
  const rebuilt = orderTypedData(pins.addresses, list)
  mustEqual(data, rebuilt)
  return { data: rebuilt, reading: readList(pins, list) }
}

/** The effect of each order, and what the list ends. */
function readList(pins: Pins, list: OrderList): Reading {
  const { orders, replaces, session } = list
  return {
    title: `Sign ${orders.length === 1 ? 'an order' : `${orders.length} orders`}`,
    effects: [
      { kind: 'states', name: 'For the session', value: session },
      ...orders.map((order, i) => ({ kind: 'order', number: i + 1, order }) as const),
      ...replaces.map(({ id, spentIn }) => ({ kind: 'ends_order', id, spentIn }) as const),
    ],
    warnings: describeList(pinnedTokens(pins), list).warnings,
  }
}

const triggerIn = ({ kind, token, priceE18, trailBps }: Fields<keyof Order['trigger']>) => ({
  kind: TRIGGER_KINDS[Number(kind)]!,
  token: lower(token),
  priceE18: BigInt(priceE18),
  trailBps: Number(trailBps),
})

/** Domain, types and every value: a field that was not read must not be signed. */
function mustEqual(given: TypedData, rebuilt: object): void {
  const own = textOf(rebuilt)
  const { types, ...rest } = given
  const { EIP712Domain: _, ...named } = types as Record<string, unknown>
  if (textOf({ ...rest, types: named }) !== own) deny('the typed data has another form than this service’s')
}

/** Numbers as decimal text and keys sorted, so that JSON from a page compares with values. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint' || typeof one === 'number') return String(one)
    if (typeof one === 'string' && /^0x[0-9a-fA-F]*$/.test(one)) return one.toLowerCase()
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
