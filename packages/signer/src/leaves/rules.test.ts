import { type Address, type Execution, NATIVE } from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import { type FeeClass, feeOf, type SessionBinding } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import {
  CAPS,
  E18,
  FEE_RECIPIENT,
  grant,
  JUNK,
  makeBinding,
  NOW_S,
  PARTNER,
  PINS,
  ROUTER,
  STOCK,
  STRANGER,
  sessionOf,
  swapCall,
  swapPath,
  USDG,
  WETH,
  WHO,
} from '../../test/kit.ts'
import { binding, factsOf, failed, honest, type LeafChange, otherClass } from '../../test/leafKit.ts'
import { verdictsOf } from '../checks.ts'
import { leafRules } from './rules.ts'

describe('an honest trade passes', () => {
  const swaps: [string, Execution, FeeClass][] = [
    ['ETH for USDG', honest, 'major'],
    [
      'USDG for ETH, fee of the output',
      swapCall({
        tokenIn: USDG,
        tokenOut: NATIVE,
        amountIn: 20_000_000n,
        amountOutMin: E18 / 127n,
        side: 'output',
      }),
      'major',
    ],
    [
      'USDG for PARTNER, fee of the input',
      swapCall({ tokenIn: USDG, tokenOut: PARTNER, amountIn: 20_000_000n, amountOutMin: 39n * E18 }),
      'major',
    ],
    [
      'a stock for USDG',
      swapCall({
        tokenIn: STOCK,
        tokenOut: USDG,
        amountIn: E18 / 10n,
        amountOutMin: 19_700_000n,
        side: 'output',
      }),
      'major',
    ],
    [
      'a feedless token, by its owner’s mark',
      swapCall({ tokenOut: JUNK, amountOutMin: 21_000n * E18, bps: 50 }),
      'other',
    ],
    [
      'and back',
      swapCall({
        tokenIn: JUNK,
        tokenOut: NATIVE,
        amountIn: 20_000n * E18,
        amountOutMin: E18 / 150n,
        bps: 50,
        side: 'output',
      }),
      'other',
    ],
  ]
  it.each(swaps)('%s', (_, execution, feeClass) => expect(failed(execution, { feeClass })).toEqual([]))

  it.each([25, 20, 15, 10])('at the tier of %i bps', (bps) => expect(failed(swapCall({ bps }))).toEqual([]))

  it('with shield, at the rate with its addition and at no other', () => {
    const shielded = sessionOf(grant(makeBinding({ risk: { accept_risks: [], shield: true, policies: [] } })))
    expect(failed(swapCall({ bps: 35 }), { session: shielded })).toEqual([])
    expect(failed(swapCall({ bps: 15 }), { session: shielded })).toEqual(['FEE_REQUIRED'])
  })
})

describe('each rule refuses', () => {
  const lowMin = { amountOutMin: 23_600_000n }
  const rows: [string, Execution, LeafChange, string[]][] = [
    ['a sanctioned wallet', honest, { isSanctioned: (a) => a === WHO.wallet }, ['SANCTIONED']],
    ['a sanctioned executor', honest, { isSanctioned: (a) => a === WHO.executor }, ['SANCTIONED']],
    ['the second of its end', honest, { nowS: binding.expires_at }, ['SESSION_EXPIRED', 'DEADLINE']],
    ['another target', { ...honest, target: STRANGER }, {}, ['SESSION_TARGET']],
    ['the wallet as target', { ...honest, target: WHO.wallet }, {}, ['SESSION_TARGET']],
    ['the manager as target', { ...honest, target: PINS.addresses.manager }, {}, ['SESSION_TARGET']],
    ['calldata it cannot read', { ...honest, data: `${honest.data}00` }, {}, ['SESSION_EXECUTION']],
    ['less value than is spent', { ...honest, valueWei: honest.valueWei - 1n }, {}, ['SESSION_EXECUTION']],
    [
      'more value than is spent',
      { ...honest, valueWei: honest.valueWei + 1n },
      {},
      ['SESSION_EXECUTION', 'SESSION_ROOT_ALLOWS'],
    ],
    [
      'a fee to another recipient',
      swapCall({ fee: { bps: 25, side: 'input', recipient: STRANGER } }),
      {},
      ['SESSION_RECIPIENTS'],
    ],
    [
      'a token outside',
      swapCall(),
      { session: sessionOf(grant(makeBinding({ tokens: [NATIVE, WETH].sort() }))) },
      ['SESSION_TOKENS'],
    ],
    [
      'more ETH than the root lets out',
      honest,
      { session: sessionOf(grant(binding, { caps: { ...CAPS, tradeWei: CAPS.tradeWei - 1n } })) },
      ['SESSION_ROOT_ALLOWS'],
    ],
    ['a deadline that passed', swapCall({ deadlineS: BigInt(NOW_S) }), {}, ['DEADLINE']],
    ['a deadline far ahead', swapCall({ deadlineS: BigInt(NOW_S + 301) }), {}, ['DEADLINE']],
    ['a chain it cannot read', honest, { isChainRead: false }, ['CHAIN_UNAVAILABLE']],
    [
      'a price that is not fresh',
      honest,
      {
        priceOf: (token: Address) =>
          token === NATIVE ? { why: 'stale' } : { priceE18: E18, decimals: 6, by: 'feed' },
      },
      ['PRICE_UNAVAILABLE'],
    ],
    ['a fee class it cannot read', honest, { feeClass: undefined }, ['FEE_CLASS']],
    ['a declared fee not allowed', honest, { request: { feeBps: 24 } }, ['FEE_DECLARED']],
    ['a declared fee not paid', honest, { request: { feeBps: 20 } }, ['FEE_DECLARED']],
    ['no fee', swapCall({ bps: 0 }), {}, ['FEE_REQUIRED']],
    ['a fee between the tiers', swapCall({ bps: 24 }), {}, ['FEE_REQUIRED']],
    ['a fee over the tiers', swapCall({ bps: 50 }), {}, ['FEE_REQUIRED']],
    ['a major fee for another class', swapCall(), otherClass, ['FEE_REQUIRED']],
    ['a fee at the wrong end', swapCall({ side: 'output' }), {}, ['FEE_REQUIRED']],
    [
      'a fee of both tokens’ lower rank',
      swapCall({ tokenIn: USDG, tokenOut: NATIVE, amountIn: 20_000_000n, amountOutMin: E18 / 127n }),
      {},
      ['FEE_REQUIRED'],
    ],
    ['no minimum', swapCall({ amountOutMin: 0n }), {}, ['SLIPPAGE', 'PRICE']],
    ['declared slippage over the table', honest, { request: { slippageBps: 201 } }, ['SLIPPAGE']],
    ['a minimum too low', swapCall(lowMin), {}, ['PRICE']],
    [
      'a feedless token bought too dear',
      swapCall({ tokenOut: JUNK, amountOutMin: 19_800n * E18, bps: 50 }),
      otherClass,
      ['SIGNED_MARK_PRICE'],
    ],
    [
      'a feedless token sold too cheap',
      swapCall({
        tokenIn: JUNK,
        tokenOut: USDG,
        amountIn: 20_000n * E18,
        amountOutMin: 15_800_000n,
        bps: 50,
        side: 'output',
      }),
      otherClass,
      ['SIGNED_MARK_PRICE'],
    ],
    [
      'more dollars than a trade may',
      swapCall({ tokenIn: USDG, tokenOut: PARTNER, amountIn: 25_000_001n, amountOutMin: 49n * E18 }),
      {},
      ['SESSION_MAX_TRADE'],
    ],
    ['a curve fee on a router call', honest, { request: { curveFeeWei: 1n } }, ['SESSION_CURVE_STEPS']],
  ]
  it.each(rows)('%s', (_, execution, change, rules) => expect(failed(execution, change)).toEqual(rules))

  it('a minimum beyond the slippage of its class and size, even if declared', () => {
    // 25 dollars: 200 bps of slippage, 100 between pools and feeds, 25 of fee; for a mean of half an hour 500
    // at most.
    const sell = (amountOutMin: bigint) => swapCall({ amountOutMin })
    const buy = (amountOutMin: bigint) =>
      swapCall({ tokenIn: USDG, tokenOut: PARTNER, amountIn: 20_000_000n, amountOutMin })
    expect([failed(sell(24_187_500n)), failed(buy(379n * 10n ** 17n))]).toEqual([[], []])
    expect(failed(sell(24_187_499n), { request: { slippageBps: 1 } })).toEqual(['PRICE'])
    expect(failed(buy(379n * 10n ** 17n - 1n))).toEqual(['PRICE'])
  })

  it('a class for which the binding allows no fee at all', () => {
    const fee = { ...makeBinding().fee, major_min_bps: 11, major_max_bps: 14 }
    const of = sessionOf(grant(makeBinding({ fee })))
    expect(failed(swapCall({ bps: 10 }), { session: of })).toEqual(['SESSION_FEE', 'FEE_REQUIRED'])
  })

  it('a permit, also one the wallet signed', () => {
    const permit = {
      permit: {
        details: { token: USDG, amount: 20_000_000n, expiration: NOW_S + 120, nonce: 0 },
        spender: ROUTER,
        sigDeadline: BigInt(NOW_S + 120),
      },
      signature: `0x${'11'.repeat(65)}` as const,
    }
    const path = swapPath({
      tokenIn: USDG,
      tokenOut: PARTNER,
      amountIn: 20_000_000n,
      amountOutMin: 39n * E18,
    })
    const { data } = encodeSwap({ ...path, permit })
    expect(failed({ target: ROUTER, valueWei: 0n, data })).toEqual(['SESSION_EXECUTION'])
  })

  it('a way through a stranger’s token or hook, or a minimum that counts what others bring', () => {
    const through = (hops: SwapPath['legs'][number]['hops'], direct = false) =>
      swapCall({ legs: [{ hops, amountIn: CAPS.tradeWei - feeOf(CAPS.tradeWei, 25) }], direct })
    const between = (token: Address) =>
      through([
        { version: 'v2', tokenIn: WETH, tokenOut: token },
        { version: 'v2', tokenIn: token, tokenOut: USDG },
      ])
    expect(failed(between(PARTNER))).toEqual([])
    expect(failed(between(STRANGER))).toEqual(['SESSION_TOKENS'])

    const hooked = (hooks: Address) => {
      const key = { currency0: NATIVE, currency1: USDG, fee: 3000, tickSpacing: 60, hooks }
      return through([{ version: 'v4', tokenIn: NATIVE, tokenOut: USDG, key }])
    }
    const reviewedHook = [...PINS.knownHooks][0]!
    expect(failed(hooked(NATIVE))).toEqual([])
    expect(failed(hooked(reviewedHook))).toEqual([])
    expect(failed(hooked(STRANGER))).toEqual(['UNKNOWN_HOOK'])
    const accepting = makeBinding({ risk: { accept_risks: ['UNKNOWN_HOOK'], shield: false, policies: [] } })
    expect(failed(hooked(STRANGER), { session: sessionOf(grant(accepting)) })).toEqual([])

    const v2 = [{ version: 'v2', tokenIn: WETH, tokenOut: USDG }] as const
    expect(failed(through(v2))).toEqual([])
    expect(failed(through(v2, true))).toEqual(['SESSION_EXECUTION'])
  })

  it('by as many rules as can run', () => {
    const call = swapCall({ amountIn: 2n * CAPS.tradeWei, amountOutMin: 1n, bps: 0, tokenOut: PARTNER })
    expect(failed(call, { session: sessionOf(grant(makeBinding())) })).toEqual([
      'SESSION_TOKENS',
      'SESSION_ROOT_ALLOWS',
      'FEE_REQUIRED',
      'PRICE',
      'SESSION_MAX_TRADE',
    ])
  })
})

describe('a session with controls', () => {
  const controlled = sessionOf(grant(makeBinding({ controls: {} })))
  const order = { id: controlled.rootHash, part: 1, rounds: [] }

  it('ends with the wallet’s nonce', () => {
    expect(failed(honest, { session: controlled, walletNonce: 7n })).toEqual([])
    expect(failed(honest, { session: controlled, walletNonce: 8n })).toEqual(['SESSION_NONCE'])
    expect(failed(honest, { session: controlled, walletNonce: null })).toEqual(['CHAIN_UNAVAILABLE'])
  })

  it('has signed orders, and no other session has', () => {
    expect(failed(honest, { session: controlled, walletNonce: 7n, request: { order } })).toEqual([])
    expect(failed(honest, { request: { order } })).toEqual(['ORDER_SESSION'])
  })

  it('shows the numbers of passed rules', () => {
    const verdicts = verdictsOf(leafRules, factsOf(honest, { request: { slippageBps: 50 } }))
    const numbers = verdicts.flatMap(({ rule, ok, value, limit }) =>
      value === undefined ? [] : [[rule, ok, value, limit]],
    )
    expect(numbers).toEqual([
      ['SESSION_EXPIRED', true, NOW_S, NOW_S + 3_600],
      ['SESSION_ROOT_ALLOWS', true, (E18 / 100n).toString(), (E18 / 100n).toString()],
      ['SLIPPAGE', true, 50, 200],
      ['PRICE', true, 200, 325],
      ['SESSION_MAX_TRADE', true, '25000000', 25_000_000],
    ])
  })
})

describe('older bindings trade under their own terms', () => {
  const { fee: _, risk: __, ...common } = makeBinding()
  const first = { ...common, fee: { schedule: 1, recipient: FEE_RECIPIENT, fee_bps: 30 } } as const
  const versions: [number, SessionBinding][] = [
    [1, { ...first, version: 1, nonce: `0x${'a1'.repeat(32)}` }],
    [
      2,
      {
        ...first,
        version: 2,
        nonce: `0x${'a2'.repeat(32)}`,
        risk: { accept_risks: [], shield: true },
        unverified_tokens: [],
      },
    ],
  ]
  it.each(versions)('version %i: one rate for every class', (_, old) => {
    const of = sessionOf(grant(old))
    for (const feeClass of ['major', 'other'] as const) {
      expect(failed(swapCall({ bps: 30 }), { session: of, feeClass })).toEqual([])
      for (const bps of [25, 40, 50, 60])
        expect(failed(swapCall({ bps }), { session: of, feeClass })).toEqual(['FEE_REQUIRED'])
    }
  })

  it('and has no price for a token without a feed', () => {
    const [, old] = versions[1]!
    const of = sessionOf(grant({ ...old, tokens: [NATIVE, JUNK].sort() } as SessionBinding))
    const call = swapCall({ tokenOut: JUNK, amountOutMin: 21_000n * E18, bps: 30 })
    expect(failed(call, { ...otherClass, session: of })).toEqual(['PRICE_UNAVAILABLE'])
  })
})
