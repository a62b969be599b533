import { type Address, type Hex, hexToBytes } from '../bytes/hex.ts'
import { addressWord, bytesDigits, size, uint } from '../bytes/words.ts'
import type { Crypto, Hashing } from '../crypto/createCrypto.ts'
import { normalizeSignature } from '../delegation/sign.ts'
import type { DelegationAddresses } from '../delegation/types.ts'
import { type Order, type OrderList, TRIGGER_KINDS } from './types.ts'

const TRIGGER = [
  { name: 'kind', type: 'uint8' },
  { name: 'token', type: 'address' },
  { name: 'priceE18', type: 'uint256' },
  { name: 'trailBps', type: 'uint16' },
] as const
const ORDER = [
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
] as const
const REPLACED = [
  { name: 'id', type: 'bytes32' },
  { name: 'spentIn', type: 'uint256' },
] as const
const ORDERS = [
  { name: 'session', type: 'bytes32' },
  { name: 'nonce', type: 'bytes32' },
  { name: 'replaces', type: 'Replaced[]' },
  { name: 'orders', type: 'Order[]' },
] as const
const TYPES = { Orders: ORDERS, Order: ORDER, Replaced: REPLACED, Trigger: TRIGGER } as const

const typeText = (name: string, fields: readonly { name: string; type: string }[]): string =>
  `${name}(${fields.map((field) => `${field.type} ${field.name}`).join()})`
const TRIGGER_TYPE = typeText('Trigger', TRIGGER)
const ORDER_TYPE = typeText('Order', ORDER) + TRIGGER_TYPE
const REPLACED_TYPE = typeText('Replaced', REPLACED)
// The types used come after the main one, in the order of their names.
const ORDERS_TYPE = typeText('Orders', ORDERS) + typeText('Order', ORDER) + REPLACED_TYPE + TRIGGER_TYPE
/** The first version named only the ids of the replaced orders. */
const ORDERS_TYPE_V1 = ORDERS_TYPE.replace('Replaced[] replaces', 'bytes32[] replaces').replace(
  REPLACED_TYPE,
  '',
)

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const DOMAIN = { name: 'Pit', version: '2' } as const

type Place = Pick<DelegationAddresses, 'chainId' | 'manager'>

/** The list as a wallet shows and signs it. */
export function orderTypedData({ chainId, manager }: Place, { session, nonce, replaces, orders }: OrderList) {
  return {
    domain: { ...DOMAIN, chainId, verifyingContract: manager },
    types: TYPES,
    primaryType: 'Orders',
    message: {
      session,
      nonce,
      replaces,
      orders: orders.map(({ trigger, startsAt, expiresAt, ...order }) => ({
        ...order,
        trigger: { ...trigger, kind: TRIGGER_KINDS.indexOf(trigger.kind) },
        startsAt: BigInt(startsAt),
        expiresAt: BigInt(expiresAt),
      })),
    },
  } as const
}

/** The struct hash of a list: it names the list, whatever the chain. */
export function orderListHash(crypto: Hashing, { replaces, ...list }: OrderList): Hex {
  const replaced = replaces.map(({ id, spentIn }) =>
    hash(crypto, textHash(crypto, REPLACED_TYPE) + word(id) + uint(spentIn)),
  )
  return listHash(crypto, ORDERS_TYPE, replaced, list)
}

/** Of a list of the first version, which replaced the orders with these ids. New lists have no such hash. */
export const orderListHashV1 = (
  crypto: Hashing,
  { replaces, ...list }: Omit<OrderList, 'replaces'> & { replaces: readonly Hex[] },
): Hex => listHash(crypto, ORDERS_TYPE_V1, replaces.map(word), list)

function listHash(
  crypto: Hashing,
  type: string,
  replaces: readonly string[],
  { session, nonce, orders }: Omit<OrderList, 'replaces'>,
): Hex {
  const digits =
    textHash(crypto, type) +
    word(session) +
    word(nonce) +
    hash(crypto, replaces.join('')) +
    hash(crypto, orders.map((order) => orderHash(crypto, order)).join(''))
  return `0x${hash(crypto, digits)}`
}

/** The id of the order at `index` of a list. */
export function orderId(crypto: Hashing, listHash: Hex, index: number): Hex {
  return `0x${hash(crypto, word(listHash) + size(index))}`
}

/** The hash that is signed. */
export function orderDigest(crypto: Hashing, { chainId, manager }: Place, list: OrderList): Hex {
  const domain = hash(
    crypto,
    textHash(crypto, DOMAIN_TYPE) +
      textHash(crypto, DOMAIN.name) +
      textHash(crypto, DOMAIN.version) +
      size(chainId) +
      addressWord(manager),
  )
  return `0x${hash(crypto, `1901${domain}${orderListHash(crypto, list).slice(2)}`)}`
}

/** Who signed the list, in lower case; undefined for a malformed signature. */
export function orderSigner(
  crypto: Crypto,
  place: Place,
  list: OrderList,
  signature: string,
): Address | undefined {
  const normalized = normalizeSignature(signature)
  return normalized && crypto.recover(orderDigest(crypto, place, list), normalized)
}

function orderHash(crypto: Hashing, order: Order): string {
  const { trigger } = order
  const triggerHash = hash(
    crypto,
    textHash(crypto, TRIGGER_TYPE) +
      size(TRIGGER_KINDS.indexOf(trigger.kind)) +
      addressWord(trigger.token) +
      uint(trigger.priceE18) +
      size(trigger.trailBps),
  )
  return hash(
    crypto,
    textHash(crypto, ORDER_TYPE) +
      addressWord(order.tokenIn) +
      addressWord(order.tokenOut) +
      uint(order.amountIn) +
      uint(order.minAmountOut) +
      size(order.maxSlippageBps) +
      triggerHash +
      size(order.slices) +
      size(order.everyS) +
      size(order.startsAt) +
      size(order.expiresAt) +
      size(order.group) +
      size(order.parent),
  )
}

const hash = (crypto: Hashing, digits: string): string => crypto.keccak256(hexToBytes(`0x${digits}`)).slice(2)
const textHash = (crypto: Hashing, text: string): string => crypto.keccakText(text).slice(2)

function word(value: Hex): string {
  const digits = bytesDigits(value)
  if (digits.length !== 64) throw new RangeError('not 32 bytes')
  return digits
}
