import { createCrypto, readSwap } from '@pit/chain'
import { encodeErc20Approve } from '@pit/plans'
import { feeOf, isPitError } from '@pit/protocol'
import { decodeFunctionData, parseAbi } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  address,
  buildParams,
  curveOf,
  DELEGATOR,
  ETH,
  type Flags,
  MEME,
  NOW_S,
  PERMIT2,
  quoteOf,
  RECIPIENT,
  ROUTER,
  TRADE_ADDRESSES,
  token,
  USDG,
  WALLET,
  WETH,
  walletState,
} from '../../test/tradeFixtures.ts'
import type { PlanStep } from '../types.ts'
import { MAX_UINT256 } from './approvals.ts'
import { buildPlan } from './buildPlan.ts'
import { chooseRoute } from './chooseRoute.ts'
import { type BuildRequest, spendingOf } from './spending.ts'

let crypto: Awaited<ReturnType<typeof createCrypto>>
beforeAll(async () => {
  crypto = await createCrypto()
})
const build = (request: BuildRequest, resetsFirst = false) =>
  buildPlan({ crypto, addresses: TRADE_ADDRESSES }, request, {
    ...spendingOf(TRADE_ADDRESSES, request),
    resetsFirst,
  })
const codeOf = (run: () => unknown) => {
  try {
    run()
    return null
  } catch (error) {
    if (!isPitError(error)) throw error
    return error.code
  }
}
const kinds = (steps: readonly PlanStep[]) => steps.map(({ kind }) => kind)
const curveAbi = parseAbi([
  'function buy(uint256 amountIn, uint256 minOut, address to, uint256 deadline)',
  'function sell(uint256 amountIn, uint256 minOut, address to, uint256 deadline)',
  'function transfer(address to, uint256 amount)',
  'function approve(address to, uint256 amount)',
  'function execute(bytes32 mode, bytes data)',
])

describe('through the router', () => {
  it('pays ETH with the fee in the call, in one transaction', () => {
    const plan = build(buildParams({ tokenIn: ETH, amountIn: 10n ** 16n, feeBps: 25 }))
    const [swap] = plan.steps
    expect(kinds(plan.steps)).toEqual(['swap'])
    expect(plan).toMatchObject({ feeAmount: feeOf(10n ** 16n, 25), feeCommand: 'TRANSFER', complete: true })
    expect(swap!.tx).toMatchObject({ from: WALLET, to: ROUTER, valueWei: 10n ** 16n, nonce: 7 })
    const reading = readSwap(swap!.tx!.data, { weth: WETH })
    expect(reading).toMatchObject({
      amountIn: 10n ** 16n,
      amountOutMin: plan.amountOutMin,
      fee: { side: 'input', recipient: RECIPIENT, amount: plan.feeAmount },
      deadlineS: BigInt(NOW_S + 120),
    })
  })

  it('checks what arrived, and discloses a minimum that counts before a tax', () => {
    const swapOf = (flags: Partial<Flags>) => {
      const tokenOut = token('TAXED', MEME.address, { flags })
      const { steps, amountOutMin } = build(buildParams({ tokenIn: ETH, amountIn: 10n ** 16n, tokenOut }))
      return { ...steps[0]!, amountOutMin, reading: readSwap(steps[0]!.tx!.data, { weth: WETH }) }
    }
    const plain = swapOf({ buy_tax_bps: 500 })
    expect(plain.reading).toMatchObject({ direct: false, amountOutMin: plain.amountOutMin })
    expect(plain.decoded()).not.toHaveProperty('minimum_counts')
    const taxed = swapOf({ buy_tax_bps: 0, transfer_tax_bps: 500 })
    expect(taxed.reading).toMatchObject({ direct: true })
    expect(taxed.decoded()).toMatchObject({
      minimum_counts: expect.stringContaining('before the token’s tax'),
    })
  })

  it('charges an output-side fee as a portion', () => {
    const plan = build(
      buildParams(
        { tokenIn: MEME, tokenOut: USDG, amountOut: 99_000_000n, feeSide: 'output' },
        {
          wallet: walletState({
            allowance: MAX_UINT256,
            permit: { amount: 10n ** 30n, expirationS: NOW_S + 120, nonce: 0 },
          }),
        },
      ),
    )
    expect(plan).toMatchObject({ feeAmount: null, feeCommand: 'PAY_PORTION' })
    expect(readSwap(plan.steps[0]!.tx!.data, { weth: WETH })).toMatchObject({
      fee: { side: 'output', bps: 50, recipient: RECIPIENT },
      amountOutMin: plan.amountOutMin,
    })
  })

  it('numbers its transactions from the next nonce, and approves by transaction on request', () => {
    const terms = { mode: 'exact', budgetUsd: 25, permitMode: 'transaction', permitScope: 'trade' } as const
    const { steps, complete } = build(buildParams({}, { approval: terms }))
    expect(complete).toBe(true)
    expect(kinds(steps)).toEqual(['approve', 'approve', 'swap'])
    expect(steps.map(({ tx }) => tx!.nonce)).toEqual([7, 8, 9])
    expect(steps.map(({ tx }) => tx!.to)).toEqual([USDG.address, PERMIT2, ROUTER])
    expect(steps[0]!.tx!.data).toBe(encodeErc20Approve(PERMIT2, 100_000_000n))
    for (const { tx } of steps) expect(tx!.maxFeePerGasWei).toBeGreaterThanOrEqual(2n * 10_000_000n)
  })

  it('sets an approval to zero first if the token requires it', () => {
    const request = buildParams({}, { wallet: walletState({ allowance: 5n }) })
    const { steps } = build(request, true)
    expect(steps.map(({ tx }) => tx?.data)).toEqual([
      encodeErc20Approve(PERMIT2, 0n),
      encodeErc20Approve(PERMIT2, 250_000_000n),
      undefined,
    ])
  })

  it('refuses a fee that rounds to zero, on either side', () => {
    const tiny = token('UNIT', address('5'), { decimals: 0 })
    expect(codeOf(() => build(buildParams({ tokenIn: tiny, amountIn: 199n })))).toBe('FEE_TOO_SMALL')
    expect(codeOf(() => build(buildParams({ tokenIn: tiny, amountIn: 200n })))).toBeNull()
    const out = { tokenIn: MEME, tokenOut: USDG, feeSide: 'output' } as const
    expect(codeOf(() => build(buildParams({ ...out, amountOut: 199n })))).toBe('FEE_TOO_SMALL')
  })
})

describe('with a curve', () => {
  const buy = { tokenIn: ETH, amountIn: 10n ** 16n, way: curveOf() }
  const sell = {
    tokenIn: MEME,
    tokenOut: ETH,
    amountIn: 10n ** 24n,
    amountOut: 10n ** 15n,
    feeSide: 'output' as const,
    way: curveOf(),
  }
  const delegated = walletState({ delegatedTo: DELEGATOR })

  it('pays the fee first, then buys with the rest', () => {
    const plan = build(buildParams(buy))
    const fee = feeOf(10n ** 16n, 50)
    expect(plan).toMatchObject({
      execution: 'curve',
      feeAmount: fee,
      feeCommand: 'fee_transfer',
      complete: true,
    })
    expect(kinds(plan.steps)).toEqual(['fee_transfer', 'swap'])
    const [pays, swap] = plan.steps.map(({ tx }) => tx!)
    expect(pays).toMatchObject({ to: RECIPIENT, valueWei: fee, data: '0x', nonce: 7 })
    expect(swap).toMatchObject({ to: curveOf().id, valueWei: 10n ** 16n - fee, nonce: 8 })
    const { functionName, args } = decodeFunctionData({ abi: curveAbi, data: swap!.data })
    expect(functionName).toBe('buy')
    expect(args).toMatchObject([
      10n ** 16n - fee,
      plan.amountOutMin,
      expect.stringMatching(/^0xa{40}$/i),
      BigInt(NOW_S + 120),
    ])
  })

  it('approves a token, pays the fee of a sale from the wallet, and raises the curve’s minimum by it', () => {
    const plan = build(buildParams(sell))
    const fee = feeOf(10n ** 15n, 50)
    expect(kinds(plan.steps)).toEqual(['approve', 'fee_transfer', 'swap'])
    expect(plan.steps[0]!.tx!.to).toBe(MEME.address)
    expect(plan.steps[1]!.tx).toMatchObject({ to: RECIPIENT, valueWei: fee })
    const { args } = decodeFunctionData({ abi: curveAbi, data: plan.steps[2]!.tx!.data })
    expect(args![1]).toBe(plan.amountOutMin + fee)
    expect(plan.amountOutExpected).toBe(10n ** 15n - fee)
  })

  it('pays the fee of a curve against a token in that token', () => {
    const plan = build(buildParams({ tokenIn: USDG, way: curveOf(USDG.address) }))
    expect(kinds(plan.steps)).toEqual(['approve', 'fee_transfer', 'swap'])
    const { args } = decodeFunctionData({ abi: curveAbi, data: plan.steps[1]!.tx!.data })
    expect(plan.steps[1]!.tx!.to).toBe(USDG.address)
    expect(args).toMatchObject([expect.stringMatching(/^0xf{40}$/i), 500_000n])
  })

  it('is one transaction of a delegated wallet to itself', () => {
    for (const [params, order] of [
      [buy, ['fee_transfer', 'swap']],
      [sell, ['approve', 'swap', 'fee_transfer']],
    ] as const) {
      const plan = build(buildParams(params, { wallet: delegated }))
      expect(plan).toMatchObject({ execution: 'batch', feeCommand: 'batch transfer' })
      expect(plan.steps).toHaveLength(1)
      const [step] = plan.steps
      expect(step!.tx).toMatchObject({ from: WALLET, to: WALLET, valueWei: 0n })
      expect((step!.decoded() as { calls: { kind: string }[] }).calls.map(({ kind }) => kind)).toEqual(order)
      expect(decodeFunctionData({ abi: curveAbi, data: step!.tx!.data }).functionName).toBe('execute')
    }
  })

  it.each([
    ['auto', null, 'curve'],
    ['two_step', DELEGATOR, 'curve'],
    ['batch', DELEGATOR, 'batch'],
    ['auto', address('6'), 'curve'],
  ] as const)('mode %s with a wallet that runs %s is %s', (curveFeeMode, delegatedTo, execution) => {
    const plan = build(buildParams(buy, { curveFeeMode, wallet: walletState({ delegatedTo }) }))
    expect(plan.execution).toBe(execution)
  })

  it('refuses a batch from a wallet that cannot send one, and a zero fee', () => {
    expect(codeOf(() => build(buildParams(buy, { curveFeeMode: 'batch' })))).toBe('FEE_MODE')
    const other = walletState({ delegatedTo: address('6') })
    expect(codeOf(() => build(buildParams(buy, { curveFeeMode: 'batch', wallet: other })))).toBe('FEE_MODE')
    expect(codeOf(() => build(buildParams({ ...buy, amountIn: 100n })))).toBe('FEE_TOO_SMALL')
  })
})

describe('the route', () => {
  const choose = (params: Parameters<typeof quoteOf>[0], over: object = {}) => {
    const { quote } = quoteOf(params)
    return chooseRoute({ ...quote, ...over })
  }
  const vendor = { ...quoteOf().route, id: '0x02', way: null }
  const failed = { id: '0x03', venue: 'venue_curve' as const, label: 'a curve', why: 'It waits.' }

  it('is the best that can be built', () => {
    const { quote, route } = quoteOf()
    expect(chooseRoute({ ...quote, routes: [vendor, route] }).id).toBe('0x01')
    expect(choose({ request: { routeId: '0x01' } }).id).toBe('0x01')
  })

  it.each([
    ['a requested aggregator route', { request: { routeId: '0x02' } }, { routes: [vendor] }, 'QUOTE_ONLY'],
    ['only aggregators', {}, { routes: [vendor] }, 'QUOTE_ONLY'],
    ['a route that is gone', { request: { routeId: '0x09' } }, {}, 'NO_ROUTE'],
    ['nothing at all', {}, { routes: [] }, 'NO_ROUTE'],
    ['another pair', {}, { routes: [], failed: [{ ...failed, code: 'CURVE_PAIR' }] }, 'CURVE_PAIR'],
    [
      'a buy that graduates',
      {},
      { routes: [], failed: [{ ...failed, code: 'CURVE_GRADUATED' }] },
      'CURVE_GRADUATED',
    ],
    [
      'a launch',
      { request: { routeId: '0x03' } },
      { failed: [{ ...failed, code: 'SNIPE_TAX' }] },
      'SNIPE_TAX',
    ],
    [
      'a silent venue',
      {},
      {
        routes: [],
        failed: [
          { ...failed, code: 'CURVE_PAIR' },
          { ...failed, code: 'VENUE_FAILED' },
        ],
      },
      'VENUE_FAILED',
    ],
    ['a trade that delivers nothing', { amountOut: 0n }, {}, 'NO_ROUTE'],
  ])('refuses %s', (_, params, over, code) => {
    expect(codeOf(() => choose(params as Parameters<typeof quoteOf>[0], over))).toBe(code)
  })

  it('reports when a snipe tax ends', () => {
    try {
      choose({}, { routes: [], failed: [{ ...failed, code: 'SNIPE_TAX', retryAfterS: 11 }] })
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'SNIPE_TAX', retryAfterS: 11 })
    }
  })
})
