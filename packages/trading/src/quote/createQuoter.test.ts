import { findRoutes, type Pool, quoteExactIn } from '@pit/chain'
import { feeOf } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestOf } from './rows.ts'
import {
  CBBTC,
  crypto,
  ETH,
  ETHER,
  ethUsdg,
  HEAD,
  JUNK,
  KNOWN_HOOK,
  NOW_S,
  openWorld,
  profile,
  RECIPIENT,
  refused,
  tradeParams,
  UNKNOWN_HOOK,
  UNKNOWN_SKIMMER,
  USDG,
  usd,
  v2,
  v4,
  WETH,
} from './test/fakeWorld.ts'

/** JUNK at half a dollar, half a million dollars on each side. */
const junkUsdg = () => v2(JUNK, USDG, 1_000_000n * ETHER, 500_000n * 10n ** 6n)
const pins = (...pools: Pool[]) => ({
  pins: {
    ...profile.pins,
    reference_pools: { ETH: pools.map(({ id }) => ({ version: 'v2', address: id })) },
  },
})

describe('a quote between core assets', () => {
  it('is from one block, with the fee deducted from the input first', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const quote = await world.quoter.quoteTrade(tradeParams({ notionalUsd: 1_000 }))
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
      audits: [],
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

  it('reads only memory and the tier', async () => {
    const { quoter, calls: asked } = openWorld({ pools: [ethUsdg()] })
    await quoter.quoteTrade(tradeParams())
    expect(asked.sort()).toEqual(['core ETH', 'core USDG', 'tier'])
  })

  it('reports the losses to pools, fee and gas', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const [route] = (await world.quoter.quoteTrade(tradeParams())).routes
    // The pool keeps 0.3%; the impact of 0.399 in 1,000 is 0.04%.
    expect(route!.impactBps).toBeCloseTo(3.96, 1)
    expect(route!.vsMidBps).toBeCloseTo(-33.97, 1)
    const gasUsd = (route!.gas * 10_000_000 * 2_500) / 1e18
    expect(route!.gasUsd).toBeCloseTo(gasUsd, 6)
    expect(route!.totalBps).toBeCloseTo(33.97 + 25 * (1 - 0.0034) + gasUsd * 10, 1)
  })

  it('deducts the fee from the output if that token ranks higher', async () => {
    const pool = ethUsdg()
    const world = openWorld({ pools: [pool], profile: pins(pool) as never })
    const quote = await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: 'ETH' }))
    expect(quote.fee).toMatchObject({ side: 'output', token: ETH })
    expect(quote.swapIn).toBe(quote.amountIn)
    expect(quote.amountIn).toBe(1_000_000_000n)
    const [route] = quote.routes
    expect(route!.totalBps! + route!.vsMidBps!).toBeCloseTo(25, 0)
    expect(quote.mid).toBeCloseTo(1 / 2_500, 9)
  })

  it('has no mid without reference pools, and no gas cost in USD without a mark of ETH', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    world.marks.delete(ETH)
    const quote = await world.quoter.quoteTrade(tradeParams({ amountIn: ETHER }))
    expect(quote).toMatchObject({ mid: null, midDue: true, ethUsd: null })
    expect(quote.routes[0]).toMatchObject({ vsMidBps: null, totalBps: null, gasUsd: null })
    // Sized by the output: one ETH less the pool's fee.
    expect(Number(quote.notionalMicroUsd) / 1e6).toBeCloseTo(2_490, 0)
  })

  it('splits the trade if that yields more, and describes the split', async () => {
    const world = openWorld({ pools: [ethUsdg(20n), ethUsdg(20n)] })
    const quote = await world.quoter.quoteTrade(tradeParams({ notionalUsd: 10_000 }))
    const [best, second] = quote.routes
    expect(best!.label).toBe('50% ETH → USDG (v2 0.3%) + 50% ETH → USDG (v2 0.3%)')
    expect(best!.amountOut).toBeGreaterThan(second!.amountOut)
    expect(best!.impactBps).toBeLessThan(second!.impactBps!)
    if (best!.way?.kind !== 'pools') throw new Error('not pools')
    expect(best!.way.legs.reduce((sum, leg) => sum + leg.amountIn, 0n)).toBe(quote.swapIn)
    expect(quote.candidates).toBe(3)
  })

  it('neither ranks a pool with an unreviewed hook first nor calls unreviewed hooks', async () => {
    const [known, stranger] = [
      v4(CBBTC, USDG, 10n ** 15n, KNOWN_HOOK),
      v4(CBBTC, USDG, 10n ** 16n, UNKNOWN_HOOK, 500),
    ]
    const world = openWorld({ pools: [known, stranger, v4(CBBTC, USDG, 10n ** 17n, UNKNOWN_SKIMMER)] })
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: 'cbBTC', tokenOut: 'USDG', amountIn: 10n ** 8n }),
    )
    expect(quote.routes.map(({ risks }) => risks.map(({ code }) => code))).toEqual([[], ['UNKNOWN_HOOK']])
    expect(quote.routes[1]!.amountOut).toBeGreaterThan(quote.routes[0]!.amountOut)
    expect(quote.risks).toEqual([])
    expect(world.calls.filter((what) => what.startsWith('batch'))).toEqual([])
  })

  it('is refused before the market is loaded, or if its newest block is old', async () => {
    expect(await refused(openWorld({ head: null }).quoter.quoteTrade(tradeParams()))).toBe('LIVE_UNAVAILABLE')
    const world = openWorld({ pools: [ethUsdg()] })
    world.time.nowMs += 31_000
    expect(await refused(world.quoter.quoteTrade(tradeParams()))).toBe('RPC_UNAVAILABLE')
  })

  it('is refused without a fee recipient', async () => {
    const world = openWorld({ pools: [ethUsdg()], profile: { fee_recipient: null } })
    expect(await refused(world.quoter.quoteTrade(tradeParams()))).toBe('LIVE_UNAVAILABLE')
    expect(world.calls).toEqual([])
  })

  it('uses the wallet’s tier, or a session’s terms instead', async () => {
    const tiers: unknown[] = []
    const tierBps = async (wallet: unknown) => {
      tiers.push(wallet)
      return 10
    }
    const world = openWorld({ pools: [ethUsdg()], tierBps })
    expect((await world.quoter.quoteTrade(tradeParams({ wallet: JUNK }))).fee).toMatchObject({
      bps: 10,
      tier: 10,
    })
    expect((await world.quoter.quoteTrade(tradeParams({ feeBps: () => 31 }))).fee).toMatchObject({ bps: 31 })
    expect(tiers).toEqual([JUNK])
  })

  it('fails with the tier only if the tier applies', async () => {
    const tierBps = () => Promise.reject(new Error('store unavailable'))
    const world = openWorld({ pools: [ethUsdg(), junkUsdg()], tierBps })
    await expect(world.quoter.quoteTrade(tradeParams())).rejects.toThrow('store unavailable')
    const other = await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: JUNK }))
    expect(other.fee).toMatchObject({ bps: 50, class: 'other' })
  })
})

describe('any quote', () => {
  it('never exceeds the pools’ output or the requested size', async () => {
    const pools = [ethUsdg(50n), v4(ETH, CBBTC, 10n ** 16n), v2(CBBTC, USDG, 10n ** 10n, 6n * 10n ** 12n)]
    const world = openWorld({ pools })
    const cents = fc.integer({ min: 100, max: 1_000_000 }).map((n) => n / 100)
    await fc.assert(
      fc.asyncProperty(cents, fc.constantFrom('ETH', 'USDG'), async (notionalUsd, tokenIn) => {
        const tokenOut = tokenIn === 'ETH' ? 'USDG' : 'ETH'
        const quote = await world.quoter.quoteTrade(tradeParams({ tokenIn, tokenOut, notionalUsd }))
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

  it('reads the market without an await in between', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    const reads: string[] = []
    const { head, mark } = world.deps.market
    world.deps.market.head = () => {
      reads.push('head')
      // Fails the assertion below if an await comes first.
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
    await world.quoter.quoteTrade(tradeParams())
    const fromHead = reads.slice(reads.indexOf('head'))
    expect(fromHead.lastIndexOf('pools')).toBeLessThan(fromHead.indexOf('waited'))
    expect(fromHead).toContain('pools')
    expect(fromHead.lastIndexOf('mark')).toBeLessThan(fromHead.indexOf('waited'))
  })

  it('reports the duration of each stage', async () => {
    const { timings } = await openWorld({ pools: [ethUsdg()] }).quoter.quoteTrade(tradeParams())
    expect(Object.keys(timings)).toEqual(['tokens', 'scan', 'venues', 'quote'])
    expect(Object.values(timings).every((ms) => ms >= 0)).toBe(true)
  })

  it('uses stale marks and discloses them', async () => {
    const world = openWorld({ pools: [ethUsdg()] })
    world.marks.set(ETH, usd(2_500, { stale: true }))
    const quote = await world.quoter.quoteTrade(tradeParams())
    expect(quote.risks).toEqual([expect.objectContaining({ code: 'STALE_MARK', token: ETH })])
  })
})
