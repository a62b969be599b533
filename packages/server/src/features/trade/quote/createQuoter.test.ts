import { feeOf, findRoutes, type Pool, quoteExactIn } from '@pit/chain'
import { refusal } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RpcError, RpcUnreachable } from '../../../platform/rpc.ts'
import type { TradeAsk } from '../types.ts'
import { bestOf } from './rows.ts'
import {
  ask,
  CBBTC,
  crypto,
  curve,
  ETH,
  ETHER,
  ethUsdg,
  HEAD,
  JUNK,
  KNOWN_HOOK,
  LAUNCHED,
  NOW_S,
  OTHER,
  openWorld,
  profile,
  RECIPIENT,
  record,
  reference,
  refused,
  STOCK,
  UNKNOWN_HOOK,
  UNKNOWN_SKIMMER,
  USDG,
  usd,
  v2,
  v3,
  v4,
  WETH,
} from './test/fakeWorld.ts'

const million = 1_000_000n * 10n ** 6n
/** JUNK at half a dollar, half a million dollars on each side. */
const junkUsdg = () => v2(JUNK, USDG, 1_000_000n * ETHER, 500_000n * 10n ** 6n)
const pins = (...pools: Pool[]) => ({
  pins: {
    ...profile.pins,
    reference_pools: { ETH: pools.map(({ id }) => ({ version: 'v2', address: id })) },
  },
})

describe('a quote between core assets', () => {
  it('is of one block, fee off the input first, and everything it is made of', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const quote = await world.quoter.quoteTrade(ask({ notionalUsd: 1_000 }))
    const amountIn = (4n * ETHER) / 10n
    const swapIn = amountIn - feeOf(amountIn, 25)
    const amountOut = quoteExactIn(pool, pool.token0 === WETH, swapIn)!.amountOut
    expect(quote).toMatchObject({
      block: 7,
      blockTimeS: NOW_S,
      tokenIn: { address: ETH, core: 'ETH' },
      tokenOut: { address: USDG, core: 'USDG' },
      amountIn,
      swapIn,
      notionalMicroUsd: 1_000_000_000n,
      fee: { bps: 25, class: 'major', tier: 25, side: 'input', token: ETH, recipient: RECIPIENT },
      slippageBps: 50,
      slippageCapBps: 150,
      failed: [],
      candidates: 1,
      midDue: true,
      gasPriceWei: HEAD.baseFeeWei,
      ethUsd: 2_500,
      risks: [],
      audit: null,
    })
    expect(quote.mid).toBeCloseTo(2_500, 6)
    expect(quote.routes).toEqual([
      expect.objectContaining({
        venue: 'venue_pool',
        label: 'ETH → USDG (v2 0.3%)',
        quotedBy: 'memory',
        amountOut,
        guardBps: null,
        way: {
          kind: 'pools',
          legs: [
            { amountIn: swapIn, hops: [{ version: 'v2', pool: pool.id, tokenIn: WETH, tokenOut: USDG }] },
          ],
        },
      }),
    ])
  })

  it('needs nobody but memory and the tier', async () => {
    const { quoter, asked } = openWorld({ pools: [ethUsdg()] })
    await quoter.quoteTrade(ask())
    expect(asked.sort()).toEqual(['core ETH', 'core USDG', 'tier'])
  })

  it('says what was lost where: in the pools, by the fee, by gas', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const [route] = (await world.quoter.quoteTrade(ask())).routes
    // 0.3% stays in the pool, four hundredths of a percent is impact of 0.399 in 1,000.
    expect(route!.impactBps).toBeCloseTo(3.96, 1)
    expect(route!.vsMidBps).toBeCloseTo(-33.97, 1)
    const gasUsd = (route!.gas * 10_000_000 * 2_500) / 1e18
    expect(route!.gasUsd).toBeCloseTo(gasUsd, 6)
    expect(route!.totalBps).toBeCloseTo(33.97 + 25 * (1 - 0.0034) + gasUsd * 10, 1)
  })

  it('takes the fee off the output where that ranks higher', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: 'ETH' }))
    expect(quote.fee).toMatchObject({ side: 'output', token: ETH })
    expect(quote.swapIn).toBe(quote.amountIn)
    expect(quote.amountIn).toBe(1_000_000_000n)
    const [route] = quote.routes
    expect(route!.totalBps! + route!.vsMidBps!).toBeCloseTo(25, 0)
    expect(quote.mid).toBeCloseTo(1 / 2_500, 9)
  })

  it('has no mid without reference pools, and no gas in dollars without a mark of ETH', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    world.marks.delete(ETH)
    const quote = await world.quoter.quoteTrade(ask({ amountIn: ETHER }))
    expect(quote).toMatchObject({ mid: null, midDue: true, ethUsd: null })
    expect(quote.routes[0]).toMatchObject({ vsMidBps: null, totalBps: null, gasUsd: null })
    // Sized by the output then: a whole ETH less the pool's fee.
    expect(Number(quote.notionalMicroUsd) / 1e6).toBeCloseTo(2_490, 0)
  })

  it('divides the trade where that gives more, and says how', async () => {
    const world = openWorld({ pools: [ethUsdg(20n), ethUsdg(20n)] })
    const quote = await world.quoter.quoteTrade(ask({ notionalUsd: 10_000 }))
    const [best, second] = quote.routes
    expect(best!.label).toBe('50% ETH → USDG (v2 0.3%) + 50% ETH → USDG (v2 0.3%)')
    expect(best!.amountOut).toBeGreaterThan(second!.amountOut)
    expect(best!.impactBps).toBeLessThan(second!.impactBps!)
    if (best!.way?.kind !== 'pools') throw new Error('not pools')
    expect(best!.way.legs.reduce((sum, leg) => sum + leg.amountIn, 0n)).toBe(quote.swapIn)
    expect(quote.candidates).toBe(3)
  })

  it('is not led by a pool whose hook nobody has read, nor asks strangers’ hooks anything', async () => {
    const [known, stranger] = [
      v4(CBBTC, USDG, 10n ** 15n, KNOWN_HOOK),
      v4(CBBTC, USDG, 10n ** 16n, UNKNOWN_HOOK, 500),
    ]
    const world = openWorld({ pools: [known, stranger, v4(CBBTC, USDG, 10n ** 17n, UNKNOWN_SKIMMER)] })
    const quote = await world.quoter.quoteTrade(
      ask({ tokenIn: 'cbBTC', tokenOut: 'USDG', amountIn: 10n ** 8n }),
    )
    expect(quote.routes.map(({ risks }) => risks.map(({ code }) => code))).toEqual([[], ['UNKNOWN_HOOK']])
    expect(quote.routes[1]!.amountOut).toBeGreaterThan(quote.routes[0]!.amountOut)
    expect(quote.risks).toEqual([])
    expect(world.asked.filter((what) => what.startsWith('batch'))).toEqual([])
  })

  it('cannot be had before the market is read, or once it stands still', async () => {
    expect(await refused(openWorld({ head: null }).quoter.quoteTrade(ask()))).toBe('LIVE_UNAVAILABLE')
    const world = openWorld({ pools: [ethUsdg()] })
    world.time.nowMs += 31_000
    expect(await refused(world.quoter.quoteTrade(ask()))).toBe('RPC_UNAVAILABLE')
  })

  it('cannot be had without a recipient of fees', async () => {
    const world = openWorld({ pools: [ethUsdg()], profile: { fee_recipient: null } })
    expect(await refused(world.quoter.quoteTrade(ask()))).toBe('LIVE_UNAVAILABLE')
    expect(world.asked).toEqual([])
  })

  it('uses the wallet’s own tier, and a session’s terms instead of it', async () => {
    const tiers: unknown[] = []
    const tierBps = async (wallet: unknown) => {
      tiers.push(wallet)
      return 10
    }
    const world = openWorld({ pools: [ethUsdg()], tierBps })
    expect((await world.quoter.quoteTrade(ask({ wallet: JUNK }))).fee).toMatchObject({ bps: 10, tier: 10 })
    expect((await world.quoter.quoteTrade(ask({ feeBps: () => 31 }))).fee).toMatchObject({ bps: 31 })
    expect(tiers).toEqual([JUNK])
  })

  it('fails with the tier only where the tier counts', async () => {
    const tierBps = () => Promise.reject(new Error('store away'))
    const world = openWorld({ pools: [ethUsdg(), junkUsdg()], tierBps })
    await expect(world.quoter.quoteTrade(ask())).rejects.toThrow('store away')
    const other = await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: JUNK }))
    expect(other.fee).toMatchObject({ bps: 50, class: 'other' })
  })
})

describe('a quote of a token by address', () => {
  const priced = (over = {}) => record(JUNK, { reference: reference(0.5), ...over })

  it('is held against the reference of its record', async () => {
    const world = openWorld({ pools: [junkUsdg()] })
    world.records.set(JUNK, priced())
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG' }))
    expect(quote).toMatchObject({ mid: null, midDue: false, amountIn: 2_000n * ETHER })
    const [route] = quote.routes
    expect(route).toMatchObject({ vsMidBps: null, totalBps: null })
    expect(route!.guardBps).toBeCloseTo(30 + 20, 0)
    expect(route!.impactBps).toBeCloseTo(20, 0)
    world.records.set(JUNK, priced({ reference: reference(0.4) }))
    expect(
      (await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG' }))).routes[0]!.guardBps,
    ).toBeLessThan(-2_400)
  })

  it('is asked about in parallel, and charged only when it is new', async () => {
    let charged = 0
    const admit = async () => void charged++
    const world = openWorld({ pools: [junkUsdg()] })
    await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: JUNK, admit }))
    expect(charged).toBe(1)
    world.records.set(JUNK, priced())
    await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: JUNK, admit }))
    expect(charged).toBe(1)
    expect(world.asked).toContain(`unchanged ${JUNK}`)
  })

  it('is refused when its code changed, unless it is only quoted', async () => {
    const assertUnchanged = () => Promise.reject(refusal('TOKEN_CHANGED'))
    const world = openWorld({ pools: [junkUsdg()], assertUnchanged })
    const trade = ask({ tokenIn: 'USDG', tokenOut: JUNK })
    expect(await refused(world.quoter.quoteTrade(trade))).toBe('TOKEN_CHANGED')
    expect(await world.quoter.quoteTrade(trade, { changedTokens: 'screen again' })).toMatchObject({
      block: 7,
    })
  })

  it('without any price of its own is sized by what the pools give for it', async () => {
    const world = openWorld({ pools: [junkUsdg()] })
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG', notionalUsd: 10 }))
    expect(Number(quote.amountIn) / 1e18).toBeCloseTo(20, 6)
    expect(quote.risks.map(({ code }) => code)).toEqual(['NO_REFERENCE'])
    expect(quote.routes[0]!.guardBps).toBeNull()
  })

  it('cannot be sized in dollars where nothing has a price', async () => {
    const world = openWorld({ pools: [v3(JUNK, OTHER, ETHER)] })
    const trade = ask({ tokenIn: JUNK, tokenOut: OTHER })
    expect(await refused(world.quoter.quoteTrade(trade))).toEqual(['NO_MARK', 'notional_usd'])
    const quote = await world.quoter.quoteTrade(ask({ ...trade, amountIn: 10n ** 9n }))
    expect(quote).toMatchObject({ notionalMicroUsd: null, slippageBps: 100, slippageCapBps: 500 })
    expect(quote.fee).toMatchObject({ side: 'input', token: JUNK })
    expect(quote.routes.length).toBe(1)
  })

  it('of the stock beacon pays as a major one', async () => {
    const world = openWorld({ pools: [v2(STOCK, USDG, 10_000n * ETHER, million)] })
    world.records.set(STOCK, record(STOCK, { stock_beacon: true, kind: 'stock', reference: reference(100) }))
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: STOCK }))
    expect(quote).toMatchObject({
      fee: { class: 'major', bps: 25 },
      tokenOut: { stock: true },
      midDue: false,
    })
  })

  it('tells an impact that must be accepted', async () => {
    const world = openWorld({ pools: [v2(JUNK, USDG, 10_000n * ETHER, 5_000n * 10n ** 6n)] })
    world.records.set(JUNK, priced())
    const codes = async (notionalUsd: number) =>
      (await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: JUNK, notionalUsd }))).risks.map(
        ({ code }) => code,
      )
    expect(await codes(10)).toEqual([])
    expect(await codes(300)).toEqual(['PRICE_IMPACT'])
    expect(await codes(2_000)).toEqual(['HIGH_PRICE_IMPACT'])
  })

  it('through a hook is quoted by the chain, beside the pools in memory', async () => {
    const word = (n: bigint) => n.toString(16).padStart(64, '0')
    const world = openWorld({
      pools: [junkUsdg(), v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)],
      batch: async () => [{ ok: true, result: `0x${word(1_234n)}${word(80_000n)}` }],
    })
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }))
    expect(quote.routes.map(({ quotedBy }) => quotedBy)).toEqual(['memory', 'call'])
    expect(quote.candidates).toBe(2)
  })

  it('that only a silent chain could quote has no route and says so', async () => {
    const world = openWorld({
      pools: [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)],
      batch: () => Promise.reject(new RpcUnreachable('late')),
    })
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }))
    expect([quote.routes, quote.failed.map(({ code }) => code)]).toEqual([[], ['VENUE_FAILED']])
  })

  it('that trades by its hook against another token only is told where', async () => {
    const world = openWorld({ pools: [v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER)] })
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }))
    expect([quote.routes, quote.failed.map(({ why }) => why)]).toEqual([
      [],
      ['Its hook lets it trade only directly: trade it against WETH.'],
    ])
  })

  it('passes on that the chain does not answer', async () => {
    const world = openWorld()
    world.records.set(JUNK, new RpcError('eth_getCode', -32_000, 'x', null))
    expect(await refused(world.quoter.quoteTrade(ask({ tokenIn: JUNK })))).toBe('RPC_UNAVAILABLE')
  })
})

describe('a launch', () => {
  const buy = ask({ tokenOut: LAUNCHED, notionalUsd: 25 })

  it('is traded on its curve, the fee off first', async () => {
    const world = openWorld({ curves: [curve()] })
    const quote = await world.quoter.quoteTrade(buy)
    expect(quote.swapIn).toBe(ETHER / 100n - feeOf(ETHER / 100n, 50))
    expect(quote.routes.map(({ venue, way }) => [venue, way?.kind])).toEqual([['venue_curve', 'curve']])
    const sale = await world.quoter.quoteTrade(
      ask({ tokenIn: LAUNCHED, tokenOut: 'ETH', amountIn: 10n ** 24n }),
    )
    expect(sale).toMatchObject({ fee: { side: 'output', token: ETH }, swapIn: 10n ** 24n })
    expect(sale.routes[0]!.way).toMatchObject({ kind: 'curve', side: 'sell' })
  })

  it('in its first seconds, or past its end, has no route but its reason', async () => {
    const code = async (over: Parameters<typeof curve>[0]) => {
      const quote = await openWorld({ curves: [curve(over)] }).quoter.quoteTrade(buy)
      return [quote.routes.length, quote.failed[0]?.code]
    }
    expect(await code({ launchedAtS: NOW_S })).toEqual([0, 'SNIPE_TAX'])
    expect(await code({ graduated: true })).toEqual([0, 'CURVE_GRADUATED'])
    expect(await code({ pair: USDG })).toEqual([0, 'CURVE_PAIR'])
  })

  it('that graduated trades in its pool', async () => {
    const pool = v2(LAUNCHED, WETH, 10n ** 26n, 100n * ETHER)
    const quote = await openWorld({ curves: [curve({ graduated: true })], pools: [pool] }).quoter.quoteTrade(
      buy,
    )
    expect([quote.routes.length, quote.failed[0]?.code]).toEqual([1, 'CURVE_GRADUATED'])
  })

  it('is left out with its venue', async () => {
    const world = openWorld({ curves: [curve()], pools: [v2(LAUNCHED, WETH, 10n ** 26n, 100n * ETHER)] })
    const venues = async (...names: TradeAsk['venues']) =>
      (await world.quoter.quoteTrade({ ...buy, venues: names })).routes.map(({ venue }) => venue)
    expect(await venues('venue_pool')).toEqual(['venue_pool'])
    expect(await venues('venue_curve')).toEqual(['venue_curve'])
  })
})

describe('with shield', () => {
  const verdict = (verdicts: Record<string, string>) => async (token: string) => ({
    verdict: (verdicts[token] ?? 'verified') as 'verified',
    url: null,
    source: 'audit',
    checked_at: NOW_S,
  })

  it('both ends are audited but native ETH, and the worst verdict is shown', async () => {
    const world = openWorld({ pools: [junkUsdg()], readAudit: verdict({ [JUNK]: 'flagged' }) })
    world.records.set(JUNK, record(JUNK, { reference: reference(0.5) }))
    const quote = await world.quoter.quoteTrade(ask({ tokenIn: 'USDG', tokenOut: JUNK, shield: true }))
    expect(quote).toMatchObject({ fee: { bps: 60, tier: 50 }, audit: { verdict: 'flagged' } })
    expect(quote.risks).toEqual([expect.objectContaining({ code: 'AUDIT_FLAGGED', token: JUNK })])
    const core = openWorld({ pools: [ethUsdg()], readAudit: verdict({}) })
    expect(await core.quoter.quoteTrade(ask({ shield: true }))).toMatchObject({
      audit: { verdict: 'verified' },
    })
    expect(core.asked.filter((what) => what.startsWith('audit'))).toEqual([`audit ${USDG}`])
  })

  it('no verdict is no good one', async () => {
    const readAudit = () => Promise.reject(refusal('AUDIT_UNAVAILABLE'))
    const world = openWorld({ pools: [ethUsdg()], readAudit })
    expect(await refused(world.quoter.quoteTrade(ask({ shield: true })))).toBe('AUDIT_UNAVAILABLE')
    expect(await world.quoter.quoteTrade(ask())).toMatchObject({ audit: null })
  })
})

describe('the route asked for', () => {
  it('is the only one answered, also when another is better', async () => {
    const world = openWorld({ pools: [ethUsdg(1_000n), ethUsdg(10n)] })
    const all = (await world.quoter.quoteTrade(ask())).routes
    for (const { id } of all) {
      const { routes } = await world.quoter.quoteTrade(ask({ routeId: id }))
      expect(routes.map((route) => route.id)).toEqual([id])
    }
  })

  it('is the same split again, though the pools have moved', async () => {
    const [a, b] = [ethUsdg(20n), ethUsdg(20n)]
    const world = openWorld({ pools: [a, b] })
    const [best] = (await world.quoter.quoteTrade(ask({ notionalUsd: 10_000 }))).routes
    if (a.version !== 'v2') throw new Error('not v2')
    // Its price fell: its part of the division shrinks, and a third pool is now the best.
    const [up, down] = a.token0 === WETH ? [103n, 97n] : [97n, 103n]
    Object.assign(a, { reserve0: (a.reserve0 * up) / 100n, reserve1: (a.reserve1 * down) / 100n })
    world.index.add(ethUsdg(21n))
    const again = await world.quoter.quoteTrade(ask({ notionalUsd: 10_000, routeId: best!.id }))
    expect(again.routes.map(({ id }) => id)).toEqual([best!.id])
    expect(again.routes[0]!.label).not.toBe(best!.label)
  })

  it('that cannot be had is refused, and an aggregator’s always', async () => {
    const { quoter } = openWorld({ pools: [ethUsdg()] })
    expect(await refused(quoter.quoteTrade(ask({ routeId: '0x12' })))).toBe('NO_ROUTE')
    const id = crypto.keccakText(`aggregator_2:${ETH}:${USDG}`).slice(0, 34)
    expect(await refused(quoter.quoteTrade(ask({ routeId: id })))).toEqual(['QUOTE_ONLY', 'route_id'])
  })

  it('on a curve that refuses keeps its reason', async () => {
    const quoted = await openWorld({ curves: [curve()] }).quoter.quoteTrade(
      ask({ tokenOut: LAUNCHED, notionalUsd: 25 }),
    )
    // Ids of curves are of the curve itself.
    const sniped = curve({ launchedAtS: NOW_S })
    const world = openWorld({ curves: [sniped] })
    const { id } = (await world.quoter.quoteTrade(ask({ tokenOut: LAUNCHED, notionalUsd: 25 }))).failed[0]!
    const asked = await world.quoter.quoteTrade(ask({ tokenOut: LAUNCHED, notionalUsd: 25, routeId: id }))
    expect([asked.routes, asked.failed[0]?.code, id === quoted.routes[0]!.id]).toEqual([
      [],
      'SNIPE_TAX',
      false,
    ])
  })
})

describe('a fast quote', () => {
  it('looks at the winners of the last full scan only', async () => {
    const pools = Array.from({ length: 9 }, (_, i) => ethUsdg(BigInt(1_000 + i)))
    const world = openWorld({ pools })
    const first = await world.quoter.quoteTrade(ask({ fast: true }))
    expect(first.candidates).toBeGreaterThanOrEqual(9)
    const second = await world.quoter.quoteTrade(ask({ fast: true }))
    expect(second.candidates).toBe(4)
    expect(second.routes[0]).toEqual(first.routes[0])
    world.time.nowMs += 20_000
    expect((await world.quoter.quoteTrade(ask({ fast: true }))).candidates).toBe(4)
  })

  it('scans again when no winner works, and after a minute', async () => {
    const [small, large] = [v3(JUNK, USDG, 10n ** 9n), v3(JUNK, USDG, 10n ** 20n, 10_000)]
    const world = openWorld({ pools: [small] })
    const trade = (amountIn: bigint) => ask({ tokenIn: JUNK, tokenOut: 'USDG', amountIn, fast: true })
    expect((await world.quoter.quoteTrade(trade(1_000n))).routes.length).toBe(1)
    world.index.add(large)
    expect((await world.quoter.quoteTrade(trade(1_000n))).routes.length).toBe(1)
    expect((await world.quoter.quoteTrade(trade(10n ** 12n))).routes.map(({ label }) => label)).toEqual([
      '0x0000…00f0 → USDG (v3 1%)',
    ])
  })
})

describe('any quote', () => {
  it('never promises more than the pools give, nor sizes more than was asked', async () => {
    const pools = [ethUsdg(50n), v4(ETH, CBBTC, 10n ** 16n), v2(CBBTC, USDG, 10n ** 10n, 6n * 10n ** 12n)]
    const world = openWorld({ pools })
    const cents = fc.integer({ min: 100, max: 1_000_000 }).map((n) => n / 100)
    await fc.assert(
      fc.asyncProperty(cents, fc.constantFrom('ETH', 'USDG'), async (notionalUsd, tokenIn) => {
        const tokenOut = tokenIn === 'ETH' ? 'USDG' : 'ETH'
        const quote = await world.quoter.quoteTrade(ask({ tokenIn, tokenOut, notionalUsd }))
        const each = tokenIn === 'ETH' ? 2_500n : 1n
        const whole = tokenIn === 'ETH' ? ETHER : 10n ** 6n
        const micro = BigInt(Math.round(notionalUsd * 100)) * 10_000n
        expect(quote.amountIn * each * 1_000_000n <= micro * whole).toBe(true)
        expect(quote.notionalMicroUsd).toBe(micro)
        if (quote.fee.side === 'input') expect(quote.amountIn - quote.swapIn).toBe(feeOf(quote.amountIn, 25))
        else expect(quote.swapIn).toBe(quote.amountIn)
        const request = {
          tokenIn: quote.tokenIn.address,
          tokenOut: quote.tokenOut.address,
          amountIn: quote.swapIn,
        }
        const { routes } = findRoutes({ index: world.index, crypto }, request)
        for (const route of quote.routes) {
          const same = routes.find(({ id }) => id === route.id)
          if (same) expect(route.amountOut).toBe(same.amountOut)
        }
        expect(bestOf(quote)).toBe(quote.routes[0])
      }),
      { numRuns: 60 },
    )
  })

  it('reads the market without waiting in between', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    const reads: string[] = []
    const { head, mark } = world.deps.market
    world.deps.market.head = () => {
      reads.push('head')
      // Whatever waits after this is answered later than what does not.
      queueMicrotask(() => reads.push('waited'))
      return head()
    }
    world.deps.market.mark = (token) => {
      reads.push('mark')
      return mark(token)
    }
    const { candidates } = world.index
    world.index.candidates = (...pair) => {
      reads.push('pools')
      return candidates(...pair)
    }
    await world.quoter.quoteTrade(ask())
    const fromHead = reads.slice(reads.indexOf('head'))
    expect(fromHead.lastIndexOf('pools')).toBeLessThan(fromHead.indexOf('waited'))
    expect(fromHead).toContain('pools')
    expect(fromHead.lastIndexOf('mark')).toBeLessThan(fromHead.indexOf('waited'))
  })

  it('tells how long each part took', async () => {
    const { timings } = await openWorld({ pools: [ethUsdg()] }).quoter.quoteTrade(ask())
    expect(Object.keys(timings)).toEqual(['tokens', 'scan', 'venues', 'quote'])
    expect(Object.values(timings).every((ms) => ms >= 0)).toBe(true)
  })

  it('follows stale marks and tells of them', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    world.marks.set(ETH, usd(2_500, { stale: true }))
    const quote = await world.quoter.quoteTrade(ask())
    expect(quote.risks).toEqual([expect.objectContaining({ code: 'STALE_MARK', token: ETH })])
  })
})
