import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { refusal } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { disclosuresOf } from './rows.ts'
import {
  ETHER,
  ethUsdg,
  JUNK,
  NOW_S,
  OTHER,
  openWorld,
  record,
  reference,
  refused,
  STOCK,
  tradeParams,
  UNKNOWN_SKIMMER,
  USDG,
  v2,
  v3,
  v4,
  WETH,
} from './test/fakeWorld.ts'

const million = 1_000_000n * 10n ** 6n
/** JUNK at half a dollar, half a million dollars on each side. */
const junkUsdg = () => v2(JUNK, USDG, 1_000_000n * ETHER, 500_000n * 10n ** 6n)

describe('a quote of a token by address', () => {
  const priced = (over = {}) => record(JUNK, { reference: reference(0.5), ...over })

  it('is compared with the reference of its record', async () => {
    const world = openWorld({ pools: [junkUsdg()] })
    world.records.set(JUNK, priced())
    const quote = await world.quoter.quoteTrade(tradeParams({ tokenIn: JUNK, tokenOut: 'USDG' }))
    expect(quote).toMatchObject({ mid: null, midDue: false, amountIn: 2_000n * ETHER })
    const [route] = quote.routes
    expect(route).toMatchObject({ vsMidBps: null, totalBps: null })
    expect(route!.guardBps).toBeCloseTo(30 + 20, 0)
    expect(route!.impactBps).toBeCloseTo(20, 0)
    world.records.set(JUNK, priced({ reference: reference(0.4) }))
    expect(
      (await world.quoter.quoteTrade(tradeParams({ tokenIn: JUNK, tokenOut: 'USDG' }))).routes[0]!.guardBps,
    ).toBeLessThan(-2_400)
  })

  it('is looked up in parallel, and charged only if new', async () => {
    let charged = 0
    const admit = async () => void charged++
    const world = openWorld({ pools: [junkUsdg()] })
    await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: JUNK, admit }))
    expect(charged).toBe(1)
    world.records.set(JUNK, priced())
    await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: JUNK, admit }))
    expect(charged).toBe(1)
    expect(world.calls).toContain(`unchanged ${JUNK}`)
  })

  it('is refused for a plan if its code changed, but not for a quote', async () => {
    const assertUnchanged = () => Promise.reject(refusal('TOKEN_CHANGED'))
    const world = openWorld({ pools: [junkUsdg()], assertUnchanged })
    const trade = tradeParams({ tokenIn: 'USDG', tokenOut: JUNK })
    expect(await refused(world.quoter.quoteTrade(trade))).toBe('TOKEN_CHANGED')
    expect(await world.quoter.quoteTrade(trade, { changedTokens: 'screen again' })).toMatchObject({
      block: 7,
    })
  })

  it('without a price is sized by the pools’ output', async () => {
    const world = openWorld({ pools: [junkUsdg()] })
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: JUNK, tokenOut: 'USDG', notionalUsd: 10 }),
    )
    expect(Number(quote.amountIn) / 1e18).toBeCloseTo(20, 6)
    expect(quote.risks.map(({ code }) => code)).toEqual(['NO_REFERENCE'])
    expect(quote.routes[0]!.guardBps).toBeNull()
  })

  it('cannot be sized in dollars if neither end has a price', async () => {
    const world = openWorld({ pools: [v3(JUNK, OTHER, ETHER)] })
    const trade = tradeParams({ tokenIn: JUNK, tokenOut: OTHER })
    expect(await refused(world.quoter.quoteTrade(trade))).toEqual(['NO_MARK', 'notional_usd'])
    const quote = await world.quoter.quoteTrade(tradeParams({ ...trade, amountIn: 10n ** 9n }))
    expect(quote).toMatchObject({ notionalMicroUsd: null, slippageBps: 100, slippageCapBps: 500 })
    expect(quote.fee).toMatchObject({ side: 'input', token: JUNK })
    expect(quote.routes.length).toBe(1)
  })

  it('of the stock beacon pays the major fee', async () => {
    const world = openWorld({ pools: [v2(STOCK, USDG, 10_000n * ETHER, million)] })
    world.records.set(STOCK, record(STOCK, { stock_beacon: true, kind: 'stock', reference: reference(100) }))
    const quote = await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: STOCK }))
    expect(quote).toMatchObject({
      fee: { class: 'major', bps: 25 },
      tokenOut: { stock: true },
      midDue: false,
    })
  })

  it('reports an impact that must be accepted', async () => {
    const world = openWorld({ pools: [v2(JUNK, USDG, 10_000n * ETHER, 5_000n * 10n ** 6n)] })
    world.records.set(JUNK, priced())
    const codes = async (notionalUsd: number) =>
      (
        await world.quoter.quoteTrade(tradeParams({ tokenIn: 'USDG', tokenOut: JUNK, notionalUsd }))
      ).risks.map(({ code }) => code)
    expect(await codes(10)).toEqual([])
    expect(await codes(300)).toEqual(['PRICE_IMPACT'])
    expect(await codes(2_000)).toEqual(['HIGH_PRICE_IMPACT'])
  })

  it('through a hook is quoted by the chain, beside the pools in memory', async () => {
    const word = (n: bigint) => n.toString(16).padStart(64, '0')
    const world = openWorld({
      pools: [junkUsdg(), v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)],
      batch: async () => [{ ok: true, result: `0x${word((ETHER * 6n) / 10n)}${word(80_000n)}` }],
    })
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }),
    )
    expect(quote.routes.map(({ quotedBy }) => quotedBy)).toEqual(['call', 'memory'])
    expect(quote.candidates).toBe(2)
  })

  it('has no route, with a reason, if the required chain quote times out', async () => {
    const world = openWorld({
      pools: [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)],
      batch: () => Promise.reject(new RpcUnreachable('late')),
    })
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }),
    )
    expect([quote.routes, quote.failed.map(({ code }) => code)]).toEqual([[], ['VENUE_FAILED']])
  })

  it('names the pair that its hook allows', async () => {
    const world = openWorld({ pools: [v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER)] })
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: JUNK, tokenOut: 'USDG', amountIn: ETHER }),
    )
    expect([quote.routes, quote.failed.map(({ why }) => why)]).toEqual([
      [],
      ['Its hook allows direct trades only. Trade it against WETH.'],
    ])
  })

  it('passes on a chain failure', async () => {
    const world = openWorld()
    world.records.set(JUNK, new RpcError('eth_getCode', -32_000, 'x', null))
    expect(await refused(world.quoter.quoteTrade(tradeParams({ tokenIn: JUNK })))).toBe('RPC_UNAVAILABLE')
  })
})

describe('with shield', () => {
  const verdict = (verdicts: Record<string, string>) => async (token: string) => ({
    audit: {
      verdict: (verdicts[token] ?? 'verified') as 'verified',
      url: null,
      source: 'audit',
      checked_at: NOW_S,
    },
    findings: [],
  })

  it('audits both ends except native ETH, and shows the worst verdict', async () => {
    const world = openWorld({ pools: [junkUsdg()], readAudit: verdict({ [JUNK]: 'flagged' }) })
    world.records.set(JUNK, record(JUNK, { reference: reference(0.5) }))
    const quote = await world.quoter.quoteTrade(
      tradeParams({ tokenIn: 'USDG', tokenOut: JUNK, shield: true }),
    )
    expect(quote).toMatchObject({ fee: { bps: 60, tier: 50 } })
    expect(disclosuresOf(quote)).toMatchObject({ audit: { verdict: 'flagged' } })
    expect(quote.risks).toEqual([expect.objectContaining({ code: 'AUDIT_FLAGGED', token: JUNK })])
    const core = openWorld({ pools: [ethUsdg()], readAudit: verdict({}) })
    expect(disclosuresOf(await core.quoter.quoteTrade(tradeParams({ shield: true })))).toMatchObject({
      audit: { verdict: 'verified' },
    })
    expect(core.calls.filter((what) => what.startsWith('audit'))).toEqual([`audit ${USDG}`])
  })

  it('refuses without a verdict', async () => {
    const readAudit = () => Promise.reject(refusal('AUDIT_UNAVAILABLE'))
    const world = openWorld({ pools: [ethUsdg()], readAudit })
    expect(await refused(world.quoter.quoteTrade(tradeParams({ shield: true })))).toBe('AUDIT_UNAVAILABLE')
    expect(await world.quoter.quoteTrade(tradeParams())).toMatchObject({ audits: [] })
  })
})
