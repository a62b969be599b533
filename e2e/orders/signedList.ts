import type { Hex } from '@pit/chain'
import { bytesToHex, encodeAbiParameters, hashStruct, keccak256 } from 'viem'
import type { Party } from '../session/party.ts'

// Builds and signs order lists with viem alone, independent of our hashing.

const TYPES = {
  Orders: [
    { name: 'session', type: 'bytes32' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'replaces', type: 'Replaced[]' },
    { name: 'orders', type: 'Order[]' },
  ],
  Replaced: [
    { name: 'id', type: 'bytes32' },
    { name: 'spentIn', type: 'uint256' },
  ],
  Order: [
    { name: 'tokenIn', type: 'address' },
    { name: 'tokenOut', type: 'address' },
    { name: 'amountIn', type: 'uint256' },
    { name: 'minAmountOut', type: 'uint256' },
    { name: 'maxSlippageBps', type: 'uint16' },
    { name: 'trigger', type: 'Trigger' },
    { name: 'slices', type: 'uint32' },
    { name: 'everyS', type: 'uint32' },
    { name: 'startsAt', type: 'uint64' },
    { name: 'expiresAt', type: 'uint64' },
    { name: 'group', type: 'uint8' },
    { name: 'parent', type: 'uint8' },
  ],
  Trigger: [
    { name: 'kind', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'priceE18', type: 'uint256' },
    { name: 'trailBps', type: 'uint16' },
  ],
} as const
const KINDS = ['none', 'at_or_below', 'at_or_above', 'trailing']
const ZERO = `0x${'0'.repeat(40)}` as Hex

export interface ListedOrder {
  token_in: Hex
  token_out: Hex
  amount_in: string
  min_amount_out: string
  max_slippage_bps: number
  trigger: { kind: string; token?: Hex; price_e18?: string; trail_bps?: number }
  slices: number
  every_s: number
  starts_at: number
  expires_at: number
  group: number
  parent: number
}
export interface List {
  session: Hex
  nonce: Hex
  replaces: { id: Hex; spent_in: string }[]
  orders: ListedOrder[]
}

export const randomWord = (): Hex => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

/** An order with the usual values: at once, within an hour, at most 3% slippage. */
export const orderOf = (
  order: Pick<ListedOrder, 'token_in' | 'token_out' | 'amount_in'> & Partial<ListedOrder>,
): ListedOrder => ({
  min_amount_out: '0',
  max_slippage_bps: 300,
  trigger: { kind: 'none' },
  slices: 1,
  every_s: 0,
  starts_at: 0,
  expires_at: Math.floor(Date.now() / 1_000) + 3_600,
  group: 0,
  parent: 0,
  ...order,
})

/** Of the replaced orders nothing was spent, unless it is said. */
export const listOf = (
  session: Hex,
  orders: ListedOrder[],
  replaces: readonly (Hex | { id: Hex; spent_in: string })[] = [],
): List => ({
  session,
  nonce: randomWord(),
  replaces: replaces.map((one) => (typeof one === 'string' ? { id: one, spent_in: '0' } : one)),
  orders,
})

const messageOf = ({ session, nonce, replaces, orders }: List) => ({
  session,
  nonce,
  replaces: replaces.map(({ id, spent_in }) => ({ id, spentIn: BigInt(spent_in) })),
  orders: orders.map((order) => ({
    tokenIn: order.token_in,
    tokenOut: order.token_out,
    amountIn: BigInt(order.amount_in),
    minAmountOut: BigInt(order.min_amount_out),
    maxSlippageBps: order.max_slippage_bps,
    trigger: {
      kind: KINDS.indexOf(order.trigger.kind),
      token: order.trigger.token ?? ZERO,
      priceE18: BigInt(order.trigger.price_e18 ?? '0'),
      trailBps: order.trigger.trail_bps ?? 0,
    },
    slices: order.slices,
    everyS: order.every_s,
    startsAt: BigInt(order.starts_at),
    expiresAt: BigInt(order.expires_at),
    group: order.group,
    parent: order.parent,
  })),
})

/** Ids of a list's orders: hash of the list's hash and the position. */
export function orderIds(list: List): Hex[] {
  const hash = hashStruct({ data: messageOf(list), primaryType: 'Orders', types: TYPES })
  return list.orders.map((_, i) =>
    keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [hash, BigInt(i)])),
  )
}

export function signList(
  { account }: Pick<Party, 'account'>,
  manager: Hex,
  list: List,
  chainId = 4663,
): Promise<Hex> {
  return account.signTypedData({
    domain: { name: 'Pit', version: '2', chainId, verifyingContract: manager },
    types: TYPES,
    primaryType: 'Orders',
    message: messageOf(list),
  })
}
