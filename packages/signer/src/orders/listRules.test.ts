import { type Hex, NATIVE, type Order, type OrderList } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { makeList, makeOrder, signList } from '../../test/controlKit.ts'
import {
  CURVE,
  crypto,
  E18,
  ETH_PRICE,
  grant,
  JUNK,
  JUNK_MARK,
  keyOf,
  makeBinding,
  NOW_S,
  PARTNER,
  PINS,
  STOCK,
  sessionOf,
  USDG,
  WETH,
} from '../../test/kit.ts'
import { failuresOf } from '../checks.ts'
import { type ListFacts, listRules } from './listRules.ts'

const tokens = [NATIVE, JUNK, PARTNER, STOCK, USDG].sort()
const bindingOf = (controls: object | undefined = {}) =>
  makeBinding({ tokens, marks: [JUNK_MARK], ...(controls && { controls }) })
const session = sessionOf(grant(bindingOf()))
const TRIGGERS: Record<string, 'rounds' | 'mean'> = {
  [NATIVE]: 'rounds',
  [STOCK]: 'rounds',
  [PARTNER]: 'mean',
}

function failed(
  orders: Partial<Order>[],
  change: Partial<ListFacts> = {},
  { list = {}, key }: { list?: Partial<OrderList>; key?: Hex } = {},
): string[] {
  const signed = makeList((change.session ?? session).rootHash, orders.map(makeOrder), list)
  const facts: ListFacts = {
    crypto,
    addresses: PINS.addresses,
    nowS: NOW_S,
    headS: NOW_S,
    session,
    list: signed,
    signature: signList(signed, key),
    walletNonce: 7n,
    isSanctioned: () => false,
    isFeedless: (token) => token === JUNK,
    priceOf: (token) =>
      token === STOCK
        ? { why: 'closed' }
        : { priceE18: token === USDG ? E18 : ETH_PRICE, decimals: token === USDG ? 6 : 18, by: 'feed' },
    triggerKind: (token) => TRIGGERS[token] ?? null,
    ...change,
  }
  return failuresOf(listRules, facts).map(({ rule, message }) => `${rule}: ${message}`)
}
const rule = (...call: Parameters<typeof failed>) => failed(...call).map((one) => one.split(':')[0])

describe('a list', () => {
  const trigger = (kind: Order['trigger']['kind'], token: Hex) => ({
    trigger: {
      kind,
      token,
      priceE18: kind === 'trailing' ? 0n : E18,
      trailBps: kind === 'trailing' ? 100 : 0,
    },
  })
  const sliced = (amountIn: bigint) => ({ tokenIn: USDG, tokenOut: NATIVE, amountIn, slices: 2, everyS: 60 })
  it.each<[string, Partial<Order>, string[]]>([
    ['a market order', {}, []],
    ['a token outside the session', { tokenOut: WETH }, ['ORDER_TOKENS']],
    ['a feedless token without a minimum', { tokenIn: JUNK, amountIn: E18 }, ['ORDER_TOKENS']],
    ['a feedless token with a minimum', { tokenIn: JUNK, minAmountOut: 1n }, []],
    [
      'a feedless token with a trigger',
      { tokenOut: JUNK, minAmountOut: 1n, ...trigger('at_or_below', NATIVE) },
      ['ORDER_TOKENS'],
    ],
    ['a trigger', trigger('at_or_below', NATIVE), []],
    ['a trigger by the mean', trigger('at_or_above', PARTNER), []],
    ['a trailing trigger by the mean', trigger('trailing', PARTNER), ['ORDER_TRIGGER']],
    ['a trailing trigger', trigger('trailing', STOCK), []],
    ['a trigger of USDG', trigger('at_or_below', USDG), ['ORDER_TRIGGER']],
    ['a trigger of an unknown token', trigger('at_or_below', JUNK), ['ORDER_TRIGGER']],
    ['the last second', { expiresAt: NOW_S + 1 }, []],
    ['an expired one', { expiresAt: NOW_S }, ['ORDER_TIME']],
    ['one until the session’s end', { expiresAt: NOW_S + 3_600 }, []],
    ['one past it', { expiresAt: NOW_S + 3_601 }, ['ORDER_TIME']],
    ['slices of a dollar', sliced(2_000_000n), []],
    ['slices below a dollar', sliced(1_999_999n), ['ORDER_AMOUNT']],
    ['less than a micro-dollar', { amountIn: 1n }, ['ORDER_AMOUNT']],
    ['a micro-dollar', { tokenIn: USDG, tokenOut: NATIVE, amountIn: 1n }, []],
    ['an amount without a price', { tokenIn: STOCK, amountIn: 1n }, []],
    ['slippage of nothing', { maxSlippageBps: 0 }, ['ORDER_LIST']],
  ])('%s', (_, order, rules) => expect(rule([order])).toEqual(rules))

  it('names the order and the field', () => {
    expect(failed([{}, { slices: 2 }])).toEqual(['ORDER_LIST: Order 2: every_s must be 60 to 2592000.'])
    expect(failed([{}, { tokenOut: WETH }])).toEqual([
      'ORDER_TOKENS: Order 2: A token is not in the session.',
    ])
    expect(failed([])).toEqual(['ORDER_LIST: orders must have 1 to 16 orders.'])
  })

  it('expires by the later of clock and head', () => {
    expect(rule([{ expiresAt: NOW_S + 5 }], { headS: NOW_S + 5 })).toEqual(['ORDER_TIME'])
    expect(rule([{ expiresAt: NOW_S + 5 }], { nowS: NOW_S + 5, headS: 0 })).toEqual(['ORDER_TIME'])
  })

  it('is signed by the wallet, for this session, with controls', () => {
    expect(rule([{}], {}, { key: keyOf('stranger') })).toEqual(['ORDER_SIGNATURE'])
    expect(rule([{}], { signature: `0x${'00'.repeat(65)}` })).toEqual(['ORDER_SIGNATURE'])
    expect(rule([{}], {}, { list: { session: `0x${'1'.repeat(64)}` } })).toEqual(['ORDER_SESSION'])
    const plain = makeBinding({ tokens, marks: [JUNK_MARK] })
    expect(rule([{}], { session: sessionOf(grant(plain)) })).toEqual(['ORDER_SESSION'])
  })

  it('needs an active session whose nonce is the wallet’s', () => {
    expect(rule([{}], { walletNonce: 8n })).toEqual(['SESSION_NONCE'])
    expect(rule([{}], { walletNonce: null })).toEqual(['CHAIN_UNAVAILABLE'])
    expect(rule([{}], { isSanctioned: () => true })).toEqual(['SANCTIONED'])
    expect(rule([{}], { nowS: NOW_S + 3_600 })).toEqual(['SESSION_EXPIRED', 'ORDER_TIME'])
  })

  it('treats a curve’s token as one without a feed', () => {
    const curved = sessionOf(grant(bindingOf(), { curves: [CURVE] }), { [CURVE]: PARTNER })
    const order = { tokenIn: PARTNER, amountIn: E18 }
    expect(rule([order], { session: curved })).toEqual(['ORDER_TOKENS'])
    expect(rule([{ ...order, minAmountOut: 1n }], { session: curved })).toEqual([])
  })
})
