import {
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
import { etherText, lower } from '@pit/protocol'
import type { TypedData } from '../account.ts'
import { describeList } from '../orders/describe.ts'
import { pinnedTokens } from '../orders/tokens.ts'
import type { Pins } from '../pins.ts'
import { hashing } from '../verify/grant.ts'
import { amountText, deny, type ReviewContext, type Reviewed, timeText } from './terms.ts'

export function reviewTypedData(context: ReviewContext, data: TypedData): Reviewed {
  switch (data.primaryType) {
    case 'Delegation':
      return reviewDelegation(context, data)
    case 'PermitSingle':
      return reviewPermit(context, data)
    case 'Orders':
      return reviewOrders(context, data)
    default:
      return deny(`typed data of type ${data.primaryType} is not signed`)
  }
}

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

function reviewDelegation(context: ReviewContext, data: TypedData): Reviewed {
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
  return {
    ...{ kind: 'typedData', data: rebuilt, isReturn: false },
    title: root.kind === 'fee' ? 'Sign a session: fees of curve trades' : 'Sign a session',
    ...describeRoot(pins, root),
  }
}

function describeRoot(pins: Pins, root: SessionRoot): { lines: string[]; warnings: string[] } {
  const until = `Until ${timeText(root.expiresS)}, at most ${root.maxTrades} uses.`
  const eth =
    root.eth === null
      ? 'It may send no ETH.'
      : `It may send up to ${etherText(root.eth.dayWei)} a day` +
        `${'tradeWei' in root.eth ? ` and ${etherText(root.eth.tradeWei)} a trade` : ''}.`
  if (root.kind === 'fee') {
    if (root.recipient !== pins.feeRecipient) deny('the fee goes to an unexpected address')
    return { lines: ['It can only pay fees to the pinned recipient.', eth, until], warnings: [] }
  }
  if (root.kind === 'router' && root.router !== pins.router)
    deny('the session is for another router than the pinned one')
  const targets = root.kind === 'router' ? 'the pinned router' : `the curves ${root.curves.join(', ')}`
  return {
    lines: [
      `Executor ${root.executor} may trade for this wallet, each trade co-signed.`,
      `It may call only ${targets}. ${eth}`,
      until,
      `Ended early by ${root.nonce === null ? 'revoking it' : 'revoking it or all sessions at once'}.`,
    ],
    warnings: ['Dollar limits are enforced by the co-signer. Check them in the page before you continue.'],
  }
}

function reviewPermit({ pins }: ReviewContext, data: TypedData): Reviewed {
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
  const { token, amount, expiration } = permit.details
  return {
    ...{ kind: 'typedData', data: rebuilt, isReturn: false, warnings: [] },
    title: 'Permit the router to take a token',
    lines: [`Up to ${amountText(pins, token, amount)}, until ${timeText(expiration)}.`],
  }
}

function reviewOrders({ pins }: ReviewContext, data: TypedData): Reviewed {
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
  const title = `Sign ${list.orders.length === 1 ? 'an order' : `${list.orders.length} orders`}`
  const terms = describeList(pinnedTokens(pins), list)
  return { kind: 'typedData', data: rebuilt, isReturn: false, title, ...terms }
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
