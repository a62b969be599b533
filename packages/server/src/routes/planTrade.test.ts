import { serializeSignature } from '@pit/chain'
import { encodeErc20Approve } from '@pit/plans'
import { RpcError } from '@pit/platform/rpc'
import { refusal } from '@pit/protocol'
import {
  curveOf,
  DELEGATOR,
  ETH,
  MEME,
  NOW_S,
  PERMIT2,
  quoteOf,
  ROUTER,
  USDG,
} from '@pit/trading/test/tradeFixtures'
import { hashTypedData } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import {
  approved,
  body,
  call,
  caller,
  crypto,
  KEY,
  type Prepared,
  planRoutes,
  refusalOf,
  renew,
  type TradeBody,
  w,
  wallet,
} from '../../test/plannerWorld.ts'

/** The routes, on a scripted market, node and store. */

beforeEach(renew)

it('returns a plan that is simulated, stored and ready to send', async () => {
  w.state = approved()
  const plan = await call('live.prepare')
  expect(plan).toMatchObject({ ready: true, execution: 'router', permit: null, policy_ok: true })
  expect(plan.simulation).toMatchObject({ ok: true })
  // Gas used plus 30%, and room for ticks.
  expect(plan.tx).toMatchObject({ gas: '250000', nonce: 7, from: wallet, to: ROUTER })
  expect(w.stored).toMatchObject([{ keyId: 9, wallet, path: 'agent' }])
  expect(w.stored[0]!.plan.steps.map(({ kind }) => kind)).toEqual(['swap'])
  expect(w.refused).toEqual([])
})

it('builds the same plan without a simulation', async () => {
  w.state = approved()
  const plan = await call('live.build')
  expect('simulation' in plan).toBe(false)
  expect(plan.tx?.gas).toBe('300000')
  expect(w.stored).toHaveLength(1)
})

it('takes the permit’s two calls, with the amount of the first', async () => {
  const one = planRoutes()
  let amountIn = 100_000_000n
  w.quoteFor = (request) => quoteOf({ amountIn: request.amountIn ?? amountIn }).quote
  const first = await call('live.prepare', {}, one)
  expect(first).toMatchObject({ ready: false, tx: null, simulation: null, permit_now: NOW_S })
  expect(first.missing).toEqual([{ what: 'permit_signature', token: USDG.address, have: null, need: null }])
  expect(first.steps.map(({ kind }) => kind)).toEqual(['approve', 'sign_permit'])
  expect(w.stored.map(({ plan }) => plan.complete)).toEqual([false])

  // The price moved: the same dollars are more atoms.
  amountIn = 100_000_001n
  const permit_signature = serializeSignature(crypto.sign(hashTypedData(first.permit as never), KEY))
  const signed = { permit_signature, permit_now: first.permit_now! }
  const second = await call('live.prepare', signed, one)
  expect(second).toMatchObject({ ready: true, amount_in: '100000000', permit: null })
  expect(second.steps.map(({ kind }) => kind)).toEqual(['approve', 'swap'])

  // Another process finds the first call's amount in the store.
  expect(await call('live.prepare', signed)).toMatchObject({ ready: true, amount_in: '100000000' })
  // If it is gone, the response says what to send.
  w.askedPermits.clear()
  const elsewhere = await refusalOf(call('live.prepare', signed))
  expect(elsewhere).toMatchObject({ code: 'BAD_REQUEST', extras: { field: 'permit_signature' } })
  expect(elsewhere.message).toContain('amount_in')
  const { ready } = await call('live.prepare', { ...signed, amount_in: first.amount_in })
  expect(ready).toBe(true)
  expect(await refusalOf(call('live.prepare', { permit_signature }))).toMatchObject({
    message: expect.stringMatching(/^`permit_signature` requires `permit_now`/),
    extras: { field: 'permit_now' },
  })
  expect(w.refused).toEqual([])
})

it('rebuilds a permit in dollars at any process, each request its own', async () => {
  let priceMoved = false
  w.quoteFor = (request) => {
    const amountIn = request.amountIn ?? (priceMoved ? 99_000_000n : 100_000_000n)
    return quoteOf({ amountIn, quote: { notionalMicroUsd: priceMoved ? 101_000_000n : 100_000_000n } }).quote
  }
  const sign = ({ permit, permit_now }: Prepared) => ({
    permit_signature: serializeSignature(crypto.sign(hashTypedData(permit as never), KEY)),
    permit_now: permit_now!,
  })
  // All in one second, distinguished only by their terms.
  const asks: Partial<TradeBody>[] = [
    { permit_scope: '30d', approval_budget_usd: 250 },
    { permit_scope: '30d', approval_budget_usd: 300 },
    { permit_scope: '30d', approval_budget_usd: 250, approval_mode: 'exact' },
    { approval_budget_usd: 250 },
    { permit_scope: '30d', approval_budget_usd: 250, amount_in: '100000000' },
  ]
  const firsts: Prepared[] = []
  for (const request of asks) firsts.push(await call('live.build', request))
  const grants = firsts.map(({ permit }) => (permit as { message: { details: { amount: string } } }).message)
  expect(grants.map(({ details }) => details.amount)).toEqual([
    '250000000',
    '300000000',
    '100000000',
    '100000000',
    '250000000',
  ])
  priceMoved = true
  for (const [i, request] of asks.entries()) {
    const second = await call('live.build', { ...request, ...sign(firsts[i]!) })
    expect(second).toMatchObject({ amount_in: '100000000', permit: null })
    expect(second.tx).not.toBeNull()
  }
})

it('stores nothing of a permit that the request itself contains', async () => {
  w.quoteFor = (request) => quoteOf({ amountIn: request.amountIn ?? 0n }).quote
  const first = await call('live.build', { amount_in: '100000000' })
  expect(first.permit).not.toBeNull()
  expect(w.askedPermits.size).toBe(0)
})

it('is not ready without the input or the gas, and shows that with a lent balance', async () => {
  w.state = { ...approved(), balanceIn: 99_999_999n }
  w.simulation = { fundedByOverrides: true }
  const have = '99999999'
  expect(await call('live.prepare')).toMatchObject({
    ready: false,
    missing: [{ what: 'input', token: USDG.address, have, need: '100000000' }],
  })
  w.state = { ...approved(), balanceWei: 1n }
  // 300,000 gas at twice the base fee and a tip.
  expect(await call('live.build')).toMatchObject({
    ready: false,
    missing: [{ what: 'eth', token: ETH.address, have: '1', need: '6150000000000' }],
  })
  w.state = { ...approved(), balanceWei: 1n, balanceIn: 0n }
  expect((await call('live.build')).missing.map(({ what }) => what)).toEqual(['input', 'eth'])
  w.state = approved()
  expect(await call('live.build')).toMatchObject({ ready: true, missing: [] })
})

it.each([
  ['SIMULATION_FAILED', { ok: false, amountOut: null, error: 'swap: it reverts' }],
  ['SIMULATION_FAILED', { ok: false, amountOut: 1n, error: 'too little' }],
  [
    'SIMULATION_FAILED',
    {
      ok: false,
      amountOut: null,
      error: 'swap: the v3 pools give less than the minimum',
      transactions: [
        { kind: 'swap' as const, ok: false, gasUsed: 1, error: 'too little', tooLittle: true, logs: [] },
      ],
    },
  ],
])('refuses a failed simulation: %s', async (code, said) => {
  w.state = approved()
  w.simulation = said
  const error = await refusalOf(call('live.prepare'))
  expect(error.code).toBe(code)
  expect(error.extras['simulation']).toMatchObject({ ok: false, checks: expect.any(Array) })
  expect(w.refused).toMatchObject([{ code, amountIn: 100_000_000n }])
  // live/build and live/simulate do not refuse for it.
  expect((await call('live.build')).execution).toBe('router')
})

it('returns a revert in a simulation, and refuses there what a build refuses', async () => {
  w.simulation = { ok: false, amountOut: null, error: 'swap: it reverts' }
  const routes = planRoutes()
  const simulate = (over: object) => {
    const handler = routes['live.simulate']
    const { wallet: _, ...rest } = body()
    const sent = { ...rest, model: 'later' as const, ...over }
    return Promise.resolve(handler({ body: sent, caller: caller(), params: {}, query: {} })) as Promise<
      Record<string, unknown>
    >
  }
  expect(await simulate({ wallet })).toMatchObject({
    ok: false,
    synthetic: false,
    error: expect.stringMatching(/^SIMULATION_FAILED: /),
  })
  w.quoteFor = () =>
    quoteOf({ quote: { risks: [{ code: 'HONEYPOT', severity: 'severe', message: '' }] } }).quote
  expect((await refusalOf(simulate({ wallet }))).code).toBe('RISK_NOT_ACCEPTED')
  // Without a wallet it only discloses.
  const response = await simulate({ approval_mode: 'unlimited' })
  expect(response).toMatchObject({ synthetic: true, ok: false })
  const checks = (response['build'] as { checks: { code: string; ok: boolean }[] }).checks
  expect(checks.filter(({ ok }) => !ok).map(({ code }) => code)).toEqual([
    'UNLIMITED_APPROVAL',
    'RISK_NOT_ACCEPTED',
  ])
  expect(response['build']).not.toHaveProperty('risks')
  expect((await refusalOf(simulate({ approval_mode: 'some' }))).code).toBe('APPROVAL_MODE')
  expect(w.refused).toEqual([])
})

it('stores refused trades, but no malformed or impossible requests', async () => {
  w.quoteFor = () =>
    quoteOf({ quote: { risks: [{ code: 'HONEYPOT', severity: 'severe', message: '' }] } }).quote
  await refusalOf(call('live.prepare'))
  await refusalOf(call('live.build', { approval_budget_usd: -1, amount_in: '5' }))
  expect(w.refused).toMatchObject([
    { code: 'RISK_NOT_ACCEPTED', amountIn: 100_000_000n },
    { code: 'APPROVAL_BUDGET', amountIn: 5n },
  ])
  w.refused.length = 0
  await refusalOf(call('live.prepare', { wallet: `0x${'1'.repeat(40)}` }))
  await refusalOf(call('live.prepare', { policies: ['block_new'] }))
  for (const code of ['NO_MARK', 'RATE_LIMITED', 'RPC_UNAVAILABLE', 'TOKEN_UNKNOWN'] as const) {
    w.quoteFor = () => {
      throw refusal(code)
    }
    expect((await refusalOf(call('live.prepare'))).code).toBe(code)
  }
  expect(w.refused).toEqual([])
})

it('rejects another wallet, a wrong checksum, and another fee recipient', async () => {
  const codeOf = async (over: object) => (await refusalOf(call('live.prepare', over))).code
  expect(await codeOf({ wallet: `0x${'1'.repeat(40)}` })).toBe('WALLET_MISMATCH')
  expect(await codeOf({ wallet: '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })).toBe('BAD_REQUEST')
  expect(await codeOf({ fee_recipient: wallet })).toBe('DEV_DISABLED')
  const other = call('live.prepare', { fee_recipient: wallet } as object, planRoutes({ devFields: true }))
  expect((await refusalOf(other)).code).toBe('FEE_RECIPIENT_NOT_ALLOWED')
  expect((await call('live.prepare', { wallet: crypto.toChecksum(wallet) })).execution).toBe('router')
})

it('reports a size out of range before a missing route', async () => {
  w.quoteFor = () => quoteOf({ quote: { routes: [], notionalMicroUsd: 5n } }).quote
  const dust = await refusalOf(call('live.prepare', { amount_in: '100000000' }))
  expect(dust.code).toBe('MIN_NOTIONAL')
  expect(dust.message).toBe(
    'A trade must be at least 1 USD: 100000000 atoms are 100 USDG, and 100,000,000 USDG are ' +
      '100000000000000 atoms.',
  )
  // Sized in dollars, so atoms cannot be confused with units.
  const dollars = await refusalOf(call('live.prepare', { notional_usd: 0.5 }))
  expect(dollars).toMatchObject({ code: 'MIN_NOTIONAL', message: 'A trade must be at least 1 USD.' })
  w.quoteFor = () => quoteOf({ quote: { routes: [] } }).quote
  expect((await refusalOf(call('live.prepare', { amount_in: '1' }))).code).toBe('NO_ROUTE')
})

it('checks whether a token accepts a new approval over an old one', async () => {
  const token = { tokenIn: MEME, tokenOut: USDG, feeSide: 'output' as const, amountOut: 10n ** 8n }
  w.quoteFor = () => quoteOf(token).quote
  w.state = { ...approved(), allowance: 5n }
  const asks: unknown[] = []
  w.answerCall = (one) => void asks.push(one)
  const approvals = async () =>
    (await call('live.build')).steps.filter(({ kind }) => kind === 'approve').map(({ tx }) => tx!.data)
  const approve = encodeErc20Approve(PERMIT2, 100_000_000n)
  expect(await approvals()).toEqual([approve])
  expect(asks).toEqual([{ from: wallet, to: MEME.address, data: approve }])
  w.answerCall = () => {
    throw new RpcError('eth_call', 3, 'execution reverted', '0x')
  }
  expect(await approvals()).toEqual([encodeErc20Approve(PERMIT2, 0n), approve])
  w.answerCall = () => {
    throw new Error('no answer')
  }
  expect((await refusalOf(call('live.build'))).code).toBe('RPC_UNAVAILABLE')
  // The old one is used up, so nothing blocks the new one.
  w.state = { ...approved(), allowance: 0n }
  expect(await approvals()).toEqual([approve])
})

it('is ready for a sale on a token’s curve only if the fee is covered', async () => {
  const curve = curveOf(USDG.address)
  w.quoteFor = () =>
    quoteOf({ tokenIn: MEME, tokenOut: USDG, feeSide: 'output', amountOut: 10n ** 8n, way: curve }).quote
  w.state = { curveAllowance: 10n ** 30n }
  const word = (atoms: bigint) => `0x${atoms.toString(16).padStart(64, '0')}`
  w.answerCall = () => word(500_000n)
  expect(await call('live.build')).toMatchObject({
    ready: true,
    fee: { amount: '500000', command: 'fee_transfer' },
  })
  w.answerCall = () => word(499_999n)
  expect((await call('live.build')).ready).toBe(false)
  w.answerCall = () => '0x'
  expect((await refusalOf(call('live.build'))).code).toBe('RPC_UNAVAILABLE')
})

it('counts what a batch sends out of the wallet', async () => {
  w.quoteFor = () => quoteOf({ tokenIn: ETH, amountIn: 10n ** 18n, way: curveOf() }).quote
  w.state = { delegatedTo: DELEGATOR, balanceWei: 10n ** 18n }
  expect(await call('live.build')).toMatchObject({ ready: false, execution: 'batch' })
  w.state = { delegatedTo: DELEGATOR, balanceWei: 2n * 10n ** 18n }
  expect((await call('live.build')).ready).toBe(true)
})
