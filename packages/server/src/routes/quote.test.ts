import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCrypto, type Pool } from '@pit/chain'
import { type Answer, type ChainProfile, checkAnswer, refusal, routeById } from '@pit/protocol'
import type { Trade } from '@pit/trading'
import { receivedOf } from '@pit/trading/internal/quote/measure'
import { refuseUnrouted } from '@pit/trading/internal/quote/rows'
import { type ShowQuoteDeps, showQuote } from '@pit/trading/internal/quote/showQuote'
import {
  curve,
  ETH,
  ETHER,
  ethUsdg,
  JUNK,
  LAUNCHED,
  NOW_S,
  openWorld,
  record,
  reference,
  refused,
  risk,
  UNKNOWN_SKIMMER,
  USDG,
  v2,
  v4,
  type WorldOptions,
} from '@pit/trading/internal/quote/test/fakeWorld'
import type { Check, PlanSimulation } from '@pit/trading/internal/types'
import { describe, expect, it } from 'vitest'
import type { Call, Handler } from '../http/types.ts'
import { tradingRoutes } from './trading.ts'

const crypto = await createCrypto()

const simulation = (over: Partial<PlanSimulation> = {}): PlanSimulation => ({
  ok: true,
  block: 7,
  amountOut: 123n,
  feeTransfer: 1n,
  gasTotal: 100_000,
  fundedByOverrides: true,
  transactions: [],
  error: null,
  ...over,
})

function open(world: WorldOptions, over: Partial<ShowQuoteDeps> = {}) {
  const opened = openWorld(world)
  const charges: unknown[] = []
  const deps: ShowQuoteDeps = {
    quoter: opened.quoter,
    checkPolicy: () => [],
    simulateRoute: async () => simulation(),
    clock: opened.deps.clock,
    logger: { warn: () => {} },
    ...over,
  }
  const handler = tradingRoutes({
    trade: { showQuote: (asked) => showQuote(deps, asked) } as Trade,
    crypto,
    profile: { chain_id: 4663, contracts: { permit2: USDG } } as unknown as ChainProfile,
    charge: async (_, buckets) => void charges.push(buckets),
  })['live.quote'] as Handler<'live.quote'>
  const ask = (body: Record<string, unknown> = {}, wallet: string | null = null) =>
    handler({
      body: {
        token_in: 'ETH',
        token_out: 'USDG',
        ...('amount_in' in body ? {} : { notional_usd: 1_000 }),
        accept_risks: [],
        shield: false,
        venues: ['venue_pool', 'venue_curve'],
        fast: false,
        ...body,
      },
      caller: {
        requestId: 'r',
        address: '127.0.0.1',
        key: { keyId: 1, accountId: 1, wallet, expiresAtS: 0 },
      },
    } as unknown as Call<'live.quote'>) as Promise<Answer<'live.quote'>>
  return { ...opened, ask, charges }
}

describe('POST live/quote', () => {
  it('matches its schema', async () => {
    const { ask, time } = open({ pools: [ethUsdg(), ethUsdg(10n)] })
    time.nowMs += 2_000
    const answer = await ask()
    expect(checkAnswer('live.quote', answer)).toMatchObject({ ok: true })
    expect(answer).toMatchObject({
      token_in: ETH,
      token_out: USDG,
      amount_in: '400000000000000000',
      notional_usd: 1_000,
      slippage_bps: 50,
      candidates: 2,
      gas_price_wei: '10000000',
      eth_usd: 2_500,
      policy: [],
      policy_ok: true,
      risks: [],
      fee_bps: 25,
      fee_class: 'major',
      fee_tier: 25,
      fee_side: 'input',
      fee_token: ETH,
      shield: false,
      shield_available: true,
    })
    expect(answer).not.toHaveProperty('audit')
    expect(answer.marks).toEqual({
      [ETH]: { symbol: 'ETH', price_usd: 2_500, source: 'oracle_feed', age_s: 5, stale: false },
      [USDG]: { symbol: 'USDG', price_usd: 1, source: 'fixed', age_s: 5, stale: false },
    })
    expect(Object.keys(answer.timings)).toEqual(['tokens', 'scan', 'venues', 'quote', 'simulate', 'total'])
    expect(answer.routes[0]).not.toHaveProperty('impact_bps')
  })

  it('simulates the best route, and shows the simulated output beside the quote', async () => {
    const { ask, quoter } = open({ pools: [ethUsdg()] })
    const answer = await ask({ token_in: 'USDG', token_out: 'ETH' })
    const quote = await quoter.quoteTrade({
      wallet: null,
      tokenIn: 'USDG',
      tokenOut: 'ETH',
      notionalUsd: 1_000,
      venues: ['venue_pool'],
      shield: false,
      policies: null,
      fast: false,
      admit: async () => {},
    })
    const [route] = quote.routes
    expect(answer.best).toMatchObject({
      id: route!.id,
      ok: true,
      simulated: true,
      amount_out: '123',
      quoted_amount_out: receivedOf(quote, route!).toString(),
    })
    expect(receivedOf(quote, route!)).toBe(route!.amountOut - (route!.amountOut * 25n) / 10_000n)
    expect(answer.routes[0]!.amount_out).toBe(route!.amountOut.toString())
  })

  it.each<[string, ShowQuoteDeps['simulateRoute'], RegExp]>([
    [
      'reverts',
      async () => simulation({ ok: false, amountOut: null, error: 'TRANSFER_FAILED' }),
      /TRANSFER_FAILED/,
    ],
    ['delivers nothing', async () => simulation({ amountOut: null }), /nothing was delivered/],
    [
      'is refused',
      () => Promise.reject(refusal('DRY_RUN_UNFUNDABLE', { message: 'It cannot be simulated.' })),
      /^It cannot be simulated.$/,
    ],
    [
      'cannot run',
      async () => Promise.reject(new Error('secret of the node')),
      /simulation is not available/,
    ],
    [
      'throws',
      () => {
        throw new Error('at once')
      },
      /simulation is not available/,
    ],
  ])('responds without a simulation that %s', async (_, simulateRoute, why) => {
    const best = (await open({ pools: [ethUsdg()] }, { simulateRoute }).ask()).best!
    expect(best).toMatchObject({ simulated: false, ok: true, why: expect.stringMatching(why) })
    expect(best.why).not.toContain('secret')
  })

  it('shows what the wallet would receive without a simulation too, less a fee taken from the output', async () => {
    const simulateRoute = async () => simulation({ ok: false, amountOut: null, error: 'no' })
    const { ask } = open({ pools: [ethUsdg()] }, { simulateRoute })
    for (const [token_in, token_out, side] of [
      ['USDG', 'ETH', 'output'],
      ['ETH', 'USDG', 'input'],
    ] as const) {
      const { best, routes, fee_side, fee_bps } = await ask({ token_in, token_out })
      const delivered = BigInt(routes[0]!.amount_out!)
      const fee = side === 'output' ? (delivered * BigInt(fee_bps)) / 10_000n : 0n
      expect(fee_side).toBe(side)
      expect(best!.amount_out).toBe((delivered - fee).toString())
      expect(best!.quoted_amount_out).toBe(best!.amount_out)
    }
  })

  it('bounds the wait for a simulation', async () => {
    const never = () => new Promise<PlanSimulation>(() => {})
    const best = (await open({ pools: [ethUsdg()] }, { simulateRoute: never, simulateMs: 20 }).ask()).best
    expect(best).toMatchObject({ simulated: false })
  })

  it('discloses the policy and never refuses by it', async () => {
    const seen: unknown[] = []
    const check = (severity: 'refuse' | 'warn' | 'info', ok: boolean): Check => ({
      code: 'X',
      ok,
      severity,
      message: 'x',
    })
    const policyOk = async (...checks: Check[]) => {
      const checkPolicy: ShowQuoteDeps['checkPolicy'] = (quote, context) => {
        seen.push([context.acceptRisks, context.route === quote.routes[0]])
        return checks
      }
      const answer = await open({ pools: [ethUsdg()] }, { checkPolicy }).ask({ accept_risks: ['HONEYPOT'] })
      expect(answer.policy).toEqual(checks)
      return answer.policy_ok
    }
    expect(await policyOk(check('refuse', true), check('warn', false), check('info', false))).toBe(true)
    expect(await policyOk(check('refuse', false))).toBe(false)
    expect(await policyOk({ code: 'X', ok: false, message: 'x' })).toBe(false)
    expect(seen[0]).toEqual([['HONEYPOT'], true])
  })

  it('never refuses for risk', async () => {
    const { ask, records } = open({ pools: [v2(JUNK, USDG, ETHER, 10n ** 6n)] })
    records.set(JUNK, record(JUNK, { reference: reference(1), risks: [risk('HONEYPOT', 'severe')] }))
    const answer = await ask({ token_in: 'USDG', token_out: JUNK, notional_usd: 100 })
    expect(answer.risks.map(({ code }) => code)).toEqual(['HONEYPOT', 'HIGH_PRICE_IMPACT'])
    expect(answer.routes[0]).toMatchObject({
      impact_bps: expect.any(Number),
      guard_bps: expect.any(Number),
    })
    expect(answer.marks[JUNK]).toEqual({
      symbol: 'JUNK',
      price_usd: 1,
      source: 'twap',
      age_s: 5,
      stale: null,
    })
  })

  it('quotes a token whose code changed, with a new screen', async () => {
    const assertUnchanged = () => Promise.reject(new Error('asked'))
    const { ask } = open({ pools: [v2(JUNK, USDG, ETHER, 10n ** 9n)], assertUnchanged })
    expect(await ask({ token_in: 'USDG', token_out: JUNK, notional_usd: 5 })).toMatchObject({
      token_out: JUNK,
    })
  })

  it('charges a new token’s screen to the caller', async () => {
    const { ask, charges } = open({ pools: [v2(JUNK, USDG, ETHER, 10n ** 9n)] })
    await ask({ token_in: 'USDG', token_out: JUNK, notional_usd: 5 })
    expect(charges).toEqual([['screen.caller', 'screen.overall']])
  })

  it('shows an aggregator but never as the best', async () => {
    const vendor = createServer((incoming, response) => {
      const query = Object.fromEntries(new URL(incoming.url ?? '', 'http://x').searchParams)
      const routeSummary = { ...query, amountOut: '1010000000', gas: '100000' }
      response.end(JSON.stringify({ code: 0, data: { routeSummary } }))
    })
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
    const vendors = { audit: null, gateway: null, aggregators: { aggregator_1: { kind: 'kyberswap', url } } }
    const answer = (pools: Pool[]) =>
      open({ pools, profile: { vendors } }).ask({ venues: ['venue_pool', 'aggregator_1'] })
    const alone = await answer([])
    expect(alone).toMatchObject({
      best: null,
      policy_ok: false,
      routes: [{ venue: 'aggregator_1', ok: true }],
    })
    const beside = await answer([ethUsdg()])
    expect(beside.routes.map(({ venue }) => venue)).toEqual(['aggregator_1', 'venue_pool'])
    expect(beside.best).toMatchObject({ venue: 'venue_pool', simulated: true })
    vendor.closeAllConnections()
    vendor.close()
    expect(await refused(answer([]))).toBe('NO_ROUTE')
  })

  it('shows failed rows beside successful ones', async () => {
    const { ask } = open({ pools: [ethUsdg()] })
    const rows = (await ask({ venues: ['venue_pool', 'aggregator_1'] })).routes
    expect(rows.map(({ venue, ok }) => [venue, ok])).toEqual([
      ['venue_pool', true],
      ['aggregator_1', false],
    ])
    expect(rows[1]).toMatchObject({ amount_out: null, gas: null, why: 'Not configured on this server.' })
  })

  it.each([
    [{ amount_in: '1' }, ['MIN_NOTIONAL', 'amount_in']],
    [{ amount_in: (5n * ETHER).toString() }, ['MAX_NOTIONAL', 'amount_in']],
    [{ amount_in: '0' }, ['BAD_REQUEST', 'amount_in']],
    [{ notional_usd: 0.5 }, ['MIN_NOTIONAL', 'notional_usd']],
    [{ notional_usd: 10_001 }, ['MAX_NOTIONAL', 'notional_usd']],
    [{ token_out: 'DOGE' }, ['TOKEN_NOT_ALLOWED', 'token_out']],
    [{ policies: ['block_new'] }, ['BAD_REQUEST', 'policies']],
    [{ token_out: 'cbBTC' }, 'NO_ROUTE'],
    [{ token_out: 'WETH' }, 'NO_ROUTE'],
    [{ token_out: 'ETH' }, ['SAME_TOKEN', 'token_out']],
  ])('refuses %j', async (body, answer) => {
    expect(await refused(open({ pools: [ethUsdg()] }).ask(body))).toEqual(answer)
  })

  it('refuses only with codes of its route', async () => {
    const row = routeById('live.quote')
    for (const code of [
      'NO_ROUTE',
      'VENUE_FAILED',
      'MIN_NOTIONAL',
      'MAX_NOTIONAL',
      'LIVE_UNAVAILABLE',
      'NO_MARK',
    ] as const) {
      expect(row.errors).toContain(code)
    }
    const sniped = open({ curves: [curve({ launchedAtS: NOW_S })] })
    await expect(sniped.ask({ token_out: LAUNCHED, notional_usd: 5 })).rejects.toMatchObject({
      code: 'NO_ROUTE',
      message: expect.stringContaining('snipe tax'),
    })
    const silent = open({
      pools: [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)],
      batch: () => Promise.reject(new Error('late')),
    })
    const body = { token_in: JUNK, token_out: 'USDG', amount_in: ETHER.toString() }
    expect(await refused(silent.ask(body))).toBe('VENUE_FAILED')
  })

  it('reads the wallet’s own tier, and the audit verdict with shield', async () => {
    const { ask } = open({ pools: [ethUsdg()], tierBps: async (wallet) => (wallet === JUNK ? 10 : 25) })
    expect(await ask({ shield: true, policies: false }, JUNK)).toMatchObject({
      fee_bps: 20,
      fee_tier: 10,
      shield: true,
      audit: { verdict: 'verified' },
    })
  })
})

it('lists failures if nothing routes', () => {
  const row = { id: '1', venue: 'venue_curve', label: 'ETH → X (curve)', why: 'It is over.' } as const
  expect(() => refuseUnrouted({ failed: [row] })).toThrow('venue_curve, ETH → X (curve): It is over.')
  expect(() => refuseUnrouted({ failed: [] })).toThrow(/No pool or curve/)
})
