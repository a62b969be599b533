import fc from 'fast-check'
import { hashStruct, hashTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { Address, Hex } from '../bytes/hex.ts'
import { createCrypto } from '../crypto/createCrypto.ts'
import { NATIVE } from '../router/constants.ts'
import {
  fromWireOrders,
  type Order,
  type OrderList,
  orderDigest,
  orderFault,
  orderId,
  orderListHash,
  orderListHashV1,
  orderSigner,
  orderTypedData,
  TRIGGER_KINDS,
  toWireOrders,
} from './index.ts'

const crypto = await createCrypto()
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const word = (digit: string) => `0x${digit.repeat(64)}` as Hex
const PLACE = { chainId: 4663, manager: at('d') }
const account = privateKeyToAccount(word('1'))
const NONE = { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 } as const

const order = (change: Partial<Order> = {}): Order => ({
  tokenIn: at('a'),
  tokenOut: at('b'),
  amountIn: 1_000_000n,
  minAmountOut: 0n,
  maxSlippageBps: 50,
  trigger: NONE,
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: 2_000_000_000,
  group: 0,
  parent: 0,
  ...change,
})
const list = (orders: readonly Order[] = [order()], change: Partial<OrderList> = {}): OrderList => ({
  session: word('5'),
  nonce: word('6'),
  replaces: [],
  orders,
  ...change,
})

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((all) => `0x${Buffer.from(all).toString('hex')}` as Hex)
const anyOrder: fc.Arbitrary<Order> = fc.record({
  tokenIn: hex(20),
  tokenOut: hex(20),
  amountIn: fc.bigInt(0n, (1n << 256n) - 1n),
  minAmountOut: fc.bigInt(0n, (1n << 256n) - 1n),
  maxSlippageBps: fc.nat(65_535),
  trigger: fc.record({
    kind: fc.constantFrom(...TRIGGER_KINDS),
    token: hex(20),
    priceE18: fc.bigInt(0n, (1n << 256n) - 1n),
    trailBps: fc.nat(65_535),
  }),
  slices: fc.nat(2 ** 32 - 1),
  everyS: fc.nat(2 ** 32 - 1),
  startsAt: fc.nat(Number.MAX_SAFE_INTEGER),
  expiresAt: fc.nat(Number.MAX_SAFE_INTEGER),
  group: fc.nat(255),
  parent: fc.nat(255),
})
const anyList: fc.Arbitrary<OrderList> = fc.record({
  session: hex(32),
  nonce: hex(32),
  replaces: fc.array(fc.record({ id: hex(32), spentIn: fc.bigInt(0n, (1n << 256n) - 1n) }), { maxLength: 4 }),
  orders: fc.array(anyOrder, { maxLength: 5 }),
})

describe('the hash of a list', () => {
  it('is the one of any EIP-712 wallet', () => {
    fc.assert(
      fc.property(anyList, (any) => {
        const data = orderTypedData(PLACE, any)
        expect(orderDigest(crypto, PLACE, any)).toBe(hashTypedData(data))
        const { types, primaryType, message: shown } = data
        expect(orderListHash(crypto, any)).toBe(hashStruct({ types, primaryType, data: shown } as never))
      }),
      { numRuns: 100 },
    )
  })

  it('of the first version is the one that was signed then', () => {
    fc.assert(
      fc.property(anyList, ({ replaces, ...any }) => {
        const first = { ...any, replaces: replaces.map(({ id }) => id) }
        const { types, primaryType, message: shown } = orderTypedData(PLACE, { ...any, replaces })
        const { Replaced: _, ...rest } = types
        const Orders = types.Orders.map((field) =>
          field.name === 'replaces' ? { ...field, type: 'bytes32[]' } : field,
        )
        const data = { ...shown, replaces: first.replaces }
        const hash = hashStruct({ types: { ...rest, Orders }, primaryType, data } as never)
        expect(orderListHashV1(crypto, first)).toBe(hash)
        expect(orderListHash(crypto, { ...any, replaces })).not.toBe(hash)
      }),
      { numRuns: 30 },
    )
  })

  it('changes with what was spent of a replaced order', () => {
    const hashOf = (spentIn: bigint) =>
      orderListHash(crypto, list([order()], { replaces: [{ id: word('9'), spentIn }] }))
    expect(hashOf(0n)).not.toBe(hashOf(1n))
  })

  it('changes with the list, its order and the chain, and names each order differently', () => {
    const [one, other] = [order(), order({ amountIn: 2n })]
    const hashes = [list([one, other]), list([other, one]), list([one]), list([one], { nonce: word('7') })]
    expect(new Set(hashes.map((each) => orderListHash(crypto, each))).size).toBe(4)
    expect(orderDigest(crypto, PLACE, list())).not.toBe(orderDigest(crypto, { ...PLACE, chainId: 1 }, list()))
    const hash = orderListHash(crypto, list())
    expect(orderId(crypto, hash, 0)).not.toBe(orderId(crypto, hash, 1))
  })

  it('gives back who signed it, in any form that wallets use', async () => {
    const signature = await account.signTypedData(orderTypedData(PLACE, list()))
    const own = account.address.toLowerCase()
    expect(orderSigner(crypto, PLACE, list(), signature)).toBe(own)
    const zeroBased = `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`
    expect(orderSigner(crypto, PLACE, list(), zeroBased)).toBe(own)
    expect(orderSigner(crypto, PLACE, list([order({ amountIn: 1n })]), signature)).not.toBe(own)
    expect(orderSigner(crypto, PLACE, list(), '0x1234')).toBeUndefined()
  })
})

describe('a list in JSON', () => {
  it('reads back unchanged', () => {
    const orders = [
      order(),
      order({ trigger: { ...NONE, kind: 'at_or_below', token: at('c'), priceE18: 3n } }),
      order({ trigger: { ...NONE, kind: 'trailing', token: at('c'), trailBps: 300 } }),
    ]
    const whole = list(orders, { replaces: [{ id: word('9'), spentIn: 8n }] })
    expect(fromWireOrders(JSON.parse(JSON.stringify(toWireOrders(whole))))).toEqual(whole)
  })
})

const trigger = (change: Partial<Order['trigger']>) =>
  order({ trigger: { ...NONE, token: at('c'), ...change } })
const pair = (change: Partial<Order>) => list([order({ group: 1 }), order({ group: 1, ...change })])
const bracket = (change: Partial<Order>) =>
  list([order(), order({ tokenIn: at('b'), tokenOut: at('a'), parent: 1, ...change })])

describe('a list', () => {
  it.each<[string, OrderList]>([
    ['a market order', list()],
    ['the largest amounts', list([order({ amountIn: (1n << 128n) - 1n, minAmountOut: (1n << 128n) - 1n })])],
    ['a limit by trigger', list([trigger({ kind: 'at_or_below', priceE18: 1n })])],
    ['a trailing stop', list([trigger({ kind: 'trailing', trailBps: 100 })])],
    ['slices over time', list([order({ slices: 1_000, everyS: 60 })])],
    ['one-cancels-other', pair({ maxSlippageBps: 9 })],
    ['a bracket', bracket({})],
  ])('may be %s', (_, each) => {
    expect(orderFault(each)).toBeNull()
  })

  it.each<[string, OrderList]>([
    ['orders', list([])],
    ['orders', list(Array.from({ length: 17 }, () => order()))],
    ['replaces', list([order()], { replaces: [0n, 1n].map((spentIn) => ({ id: word('9'), spentIn })) })],
    ['replaces', list([order()], { replaces: [{ id: word('9'), spentIn: 1n << 128n }] })],
    ['token_out', list([order({ tokenOut: at('a') })])],
    ['amount_in', list([order({ amountIn: 0n })])],
    ['amount_in', list([order({ amountIn: 1n << 128n })])],
    ['min_amount_out', list([order({ minAmountOut: 1n << 128n })])],
    ['max_slippage_bps', list([order({ maxSlippageBps: 0 })])],
    ['slices', list([order({ slices: 0 })])],
    ['slices', list([order({ amountIn: 2n, slices: 3, everyS: 60 })])],
    ['every_s', list([order({ everyS: 60 })])],
    ['every_s', list([order({ slices: 2, everyS: 59 })])],
    ['expires_at', list([order({ startsAt: 2_000_000_000 })])],
    ['trigger.token', list([trigger({})])],
    ['trigger.price_e18', list([trigger({ kind: 'at_or_above' })])],
    ['trigger.trail_bps', list([trigger({ kind: 'at_or_above', priceE18: 1n, trailBps: 1 })])],
    ['trigger.trail_bps', list([trigger({ kind: 'trailing', trailBps: 99 })])],
    ['group', list([order({ group: 1 })])],
    ['amount_in', pair({ amountIn: 5n })],
    ['token_in', pair({ tokenIn: at('c') })],
    ['parent', bracket({ parent: 2 })],
    ['parent', bracket({ parent: 3 })],
    ['token_in', bracket({ tokenIn: at('c') })],
    ['slices', bracket({ slices: 2, everyS: 60 })],
  ])('is refused for its %s', (field, each) => {
    expect(orderFault(each)?.field).toBe(field)
  })
})
