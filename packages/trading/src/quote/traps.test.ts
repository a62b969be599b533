import { DYNAMIC_FEE } from '@pit/chain'
import { encodeAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { at, ETH, ETHER, JUNK, openWorld, tradeParams, USDG, v3, v4, WETH } from './test/fakeWorld.ts'

const DEEP = 10n ** 27n
const buy = tradeParams({ tokenOut: JUNK, amountIn: ETHER })
const codes = (risks: readonly { code: string }[]) => risks.map(({ code }) => code)

describe('a pool that keeps most of a trade', () => {
  it('is never offered, fast or not, nor used in a split', async () => {
    const world = openWorld({ pools: [v3(JUNK, WETH, DEEP, 800_000), v3(JUNK, WETH, 10n ** 22n, 3_000)] })
    for (const fast of [false, true, true]) {
      const { routes, failed } = await world.quoter.quoteTrade({ ...buy, fast })
      expect(routes.map(({ label }) => label)).toEqual([expect.stringContaining('v3 0.3%')])
      expect(failed).toEqual([])
    }
  })

  it('is named if there is no other, and quoted by id with a severe risk', async () => {
    const world = openWorld({ pools: [v4(JUNK, ETH, DEEP, undefined, 900_000)] })
    const { routes, failed } = await world.quoter.quoteTrade(buy)
    expect(routes).toEqual([])
    expect(failed).toMatchObject([{ why: expect.stringContaining('keeps 90%') }])
    const named = await world.quoter.quoteTrade({ ...buy, routeId: failed[0]!.id })
    expect(named.routes).toHaveLength(1)
    expect(codes(named.risks)).toContain('HIGH_PRICE_IMPACT')
    expect(named.risks[0]).toMatchObject({ severity: 'severe' })
  })

  it('is detected by the chain’s quote if its hook sets the fee', async () => {
    const pool = v4(JUNK, ETH, DEEP, at(0x1000), DYNAMIC_FEE)
    pool.lpFeePips = 1_000_000
    const quoted = (amountOut: bigint) =>
      openWorld({
        pools: [pool],
        batch: async (calls) =>
          calls.map(() => ({
            ok: true as const,
            result: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [amountOut, 90_000n]),
          })),
      })
    const honest = await quoted((ETHER * 98n) / 100n).quoter.quoteTrade(buy)
    expect(honest.routes).toMatchObject([{ quotedBy: 'call', label: expect.stringContaining('dynamic fee') }])
    const world = quoted(ETHER / 100n)
    const { routes, failed } = await world.quoter.quoteTrade(buy)
    expect(routes).toEqual([])
    expect(failed).toMatchObject([{ why: expect.stringContaining('keeps 99%') }])
    const named = await world.quoter.quoteTrade({ ...buy, routeId: failed[0]!.id })
    expect(codes(named.routes[0]!.risks)).toEqual(['UNKNOWN_HOOK', 'HIGH_PRICE_IMPACT'])
  })
})

describe('a pool that the issuer of a stock blocks', () => {
  it('is skipped, by id too, and named if there is no other', async () => {
    const [first, second] = [v3(WETH, USDG, DEEP), v3(WETH, USDG, DEEP, 500)]
    const barred = new Set<string>([first.id])
    const world = openWorld({ pools: [first, second], barred })
    const labels = async () =>
      (await world.quoter.quoteTrade(tradeParams({ amountIn: ETHER }))).routes.map(({ label }) => label)
    expect(await labels()).toEqual([expect.stringContaining('0.05%')])
    barred.add(second.id)
    expect(await labels()).toEqual([])
    const { failed } = await world.quoter.quoteTrade(tradeParams({ amountIn: ETHER }))
    expect(failed[0]).toMatchObject({ why: 'The issuer of the stock blocks this pool.' })
    const named = world.quoter.quoteTrade(tradeParams({ amountIn: ETHER, routeId: failed[0]!.id }))
    await expect(named).rejects.toMatchObject({ code: 'NO_ROUTE' })
  })
})
