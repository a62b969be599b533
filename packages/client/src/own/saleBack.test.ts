import { type Address, decodeExecute, type Hex, NATIVE, readCurveCall } from '@pit/chain'
import { toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Pins } from '../pins.ts'
import { askSale } from './saleBack.ts'
import type { SimulatedCall } from './trial.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
const [TOKEN, WALLET, ROUTER, PERMIT2] = [at('1'), at('2'), at('3'), at('4')]
const pins = (layout: string) =>
  ({
    router: ROUTER,
    permit2: PERMIT2,
    multicall3: at('5'),
    layout,
    profile: { contracts: { v4_quoter: at('6'), v3_quoter: at('7') } },
  }) as unknown as Pins
const key = { currency0: NATIVE, currency1: TOKEN, fee: 3_000, tickSpacing: 60, hooks: NATIVE }
const hop = { version: 'v4', tokenIn: NATIVE, tokenOut: TOKEN, key } as const
const who = { wallet: WALLET, tokenOut: TOKEN, bought: 1_000n }
const route = { legs: [{ hops: [hop], amountIn: 7n }], curve: null, tokenIn: NATIVE }

describe.each(['2.1.0', '2.1.1', '2.1.2'] as const)('the sale back on router %s', (layout) => {
  it('sells most of the minimum through the same v4 pool', () => {
    const { calls } = askSale(pins(layout), who, route)
    const swap = calls.find(({ to, from }) => to === ROUTER && from === WALLET)!
    const decoded = decodeExecute(swap.data, layout)
    expect(decoded).toMatchObject({
      ok: true,
      call: {
        commands: [
          {
            command: 'V4_SWAP',
            actions: [
              { action: 'SETTLE', currency: TOKEN, amount: 900n, payerIsUser: true },
              { action: 'SWAP_EXACT_IN_SINGLE', poolKey: key, zeroForOne: false },
              { action: 'TAKE', currency: NATIVE },
            ],
          },
        ],
      },
    })
  })
  it.each([
    ['v2', { version: 'v2', tokenIn: at('8'), tokenOut: TOKEN }, { path: [TOKEN, at('8')] }],
    [
      'v3',
      { version: 'v3', tokenIn: at('8'), tokenOut: TOKEN, feePips: 500 },
      { path: { tokens: [TOKEN, at('8')], fees: [500] } },
    ],
  ] as const)('sells in a %s pool', (version, pool, path) => {
    const contracts = {
      ...pins(layout).profile.contracts,
      v2_factory: at('9'),
      v2_pair_init_code_hash: toHex(1n, { size: 32 }),
    }
    const own = { ...pins(layout), profile: { contracts } } as unknown as Pins
    const { calls } = askSale(own, who, { ...route, legs: [{ hops: [pool], amountIn: 7n }] })
    const swap = calls.find(({ to, from }) => to === ROUTER && from === WALLET)!
    expect(decodeExecute(swap.data, layout)).toMatchObject({
      ok: true,
      call: {
        commands: [
          { command: `${version.toUpperCase()}_SWAP_EXACT_IN`, amountIn: 900n, payerIsUser: true, ...path },
        ],
      },
    })
  })
})

it.each(['pit', 'pons'] as const)('sells on a curve of %s', (launchpad) => {
  const curve = { id: at('9'), launchpad }
  const { calls } = askSale(pins('2.1.0'), who, { legs: [], curve, tokenIn: NATIVE })
  const sale = calls.filter(({ to, from }) => to === curve.id && from === WALLET)
  expect(sale.map(({ data }) => readCurveCall(data))).toMatchObject([
    { side: 'sell', amountIn: 900n, recipient: WALLET, launchpad },
  ])
})

describe('the result of the sale', () => {
  const sale = askSale(pins('2.1.0'), who, route)
  const ok = (returnData: Hex = '0x', status: Hex = '0x1'): SimulatedCall => ({
    status,
    returnData,
    gasUsed: '0x64',
  })
  const word = (value: bigint) => toHex(value, { size: 32 })
  /** Balance, quote of 1,000 wei, two approvals, the sale, a transfer, balance, what was transferred. */
  const results = (
    proceeds: bigint,
    { status, transferred = 50n }: { status?: Hex; transferred?: bigint } = {},
  ) => [
    ok(word(10_000n)),
    ok(`0x${word(1_000n).slice(2)}${word(0n).slice(2)}`),
    ok(),
    ok(),
    ok('0x', status),
    ok(),
    ok(word(10_000n + proceeds - 400n)),
    ok(word(transferred)),
  ]
  it('counts what is missing to the quote, the gas added back', () => {
    expect(sale.read(results(1_000n))).toEqual({ ok: true, lostBps: 0, transfers: true })
    expect(sale.read(results(750n))).toEqual({ ok: true, lostBps: 2_500, transfers: true })
  })
  it('shows a transfer that moves nothing', () => {
    expect(sale.read(results(1_000n, { transferred: 0n }))).toMatchObject({ transfers: false })
  })
  it('fails with the sale, or without an answer', () => {
    expect(sale.read(results(0n, { status: '0x0' }))).toMatchObject({ ok: false })
    expect(sale.read([])).toMatchObject({ ok: false })
    const curve = { id: at('9'), launchpad: 'pit' as const }
    const onCurve = askSale(pins('2.1.0'), who, { legs: [], curve, tokenIn: NATIVE })
    expect(onCurve.read([])).toMatchObject({ ok: false })
  })
})
