import { quoteCurveBuy, quoteCurveSell } from '@pit/chain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteCurves } from './curve.ts'
import { createLabels } from './labels.ts'
import { curve, ETH, ETHER, LAUNCHED, NOW_S, openWorld, profile, USDG } from './test/fakeWorld.ts'

const labels = createLabels(profile)
const quote = (one: ReturnType<typeof curve>, over: Partial<Parameters<typeof quoteCurves>[1]> = {}) =>
  quoteCurves(
    { ...openWorld({ curves: [one] }).deps, labels },
    { tokenIn: ETH, tokenOut: LAUNCHED, swapIn: ETHER / 100n, atS: NOW_S, ...over },
  )

describe('a curve', () => {
  it('quotes buys and sells like its contract', () => {
    const one = curve()
    const buy = quote(one)
    expect(buy.failed).toEqual([])
    expect(buy.routes[0]).toMatchObject({
      venue: 'venue_curve',
      label: 'ETH → 0x0000…00f3 (curve)',
      quotedBy: 'memory',
      amountOut: quoteCurveBuy(one, ETHER / 100n, NOW_S)!.tokensOut,
      way: { kind: 'curve', side: 'buy', curve: { id: one.id } },
    })
    const sell = quote(one, { tokenIn: LAUNCHED, tokenOut: ETH, swapIn: 10n ** 24n })
    expect(sell.routes[0]).toMatchObject({
      amountOut: quoteCurveSell(one, 10n ** 24n)!.pairOut,
      way: { kind: 'curve', side: 'sell' },
    })
    expect(sell.routes[0]!.id).not.toBe(buy.routes[0]!.id)
  })

  it('keeps the curve state of the quote when the curve changes later', () => {
    const one = curve()
    const { way } = quote(one).routes[0]!
    one.x += 5n
    expect(way?.kind === 'curve' && way.curve.x).toBe(one.x - 5n)
  })

  it('does not count taxes as impact', () => {
    expect(quote(curve(), { swapIn: 10n ** 12n }).routes[0]!.impactBps).toBeLessThan(0.1)
    const large = quote(curve({ creatorTaxBps: 500 }), { swapIn: ETHER })
    expect(large.routes[0]!.impactBps).toBeCloseTo((0.94 / 10.94) * 10_000, 0)
    const sold = quote(curve(), { tokenIn: LAUNCHED, tokenOut: ETH, swapIn: 10n ** 26n })
    expect(sold.routes[0]!.impactBps).toBeCloseTo((0.1 / 1.1) * 10_000, 0)
  })

  it.each([
    ['graduated', curve({ graduated: true }), {}, 'CURVE_GRADUATED'],
    ['would graduate', curve(), { swapIn: 1_000n * ETHER }, 'CURVE_GRADUATED'],
    ['for another pair', curve({ pair: USDG }), {}, 'CURVE_PAIR'],
    ['sniped', curve({ launchedAtS: NOW_S - 5 }), {}, 'SNIPE_TAX'],
    ['too small an amount', curve({ x: 10n ** 30n, y: 10n ** 15n, yFloor: 0n }), { swapIn: 1n }, undefined],
    ['too few tokens', curve({ x: 1n }), { tokenIn: LAUNCHED, tokenOut: ETH, swapIn: 1n }, undefined],
  ] as const)('fails with a reason: %s', (_, one, over, code) => {
    const { routes, failed } = quote(one, over)
    expect(routes).toEqual([])
    expect(failed).toEqual([expect.objectContaining({ venue: 'venue_curve', why: expect.any(String) })])
    expect(failed[0]!.code).toBe(code)
  })

  it('reports when the snipe tax ends, and allows sales meanwhile', () => {
    const one = curve({ launchedAtS: NOW_S - 5 })
    expect(quote(one).failed[0]).toMatchObject({ retryAfterS: 15, why: expect.stringContaining('60%') })
    expect(quote(one, { tokenIn: LAUNCHED, tokenOut: ETH, swapIn: 10n ** 24n }).routes.length).toBe(1)
    expect(quote(one, { atS: NOW_S + 15 }).routes.length).toBe(1)
  })

  it('is skipped between tokens without a curve', () => {
    expect(quote(curve(), { tokenOut: USDG })).toEqual({ routes: [], failed: [] })
  })

  it('never quotes more than the contract pays', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 100n * ETHER }), (amountIn) => {
        const one = curve()
        const { routes, failed } = quote(one, { swapIn: amountIn })
        const expected = quoteCurveBuy(one, amountIn, NOW_S)!
        if (expected.graduates) expect(failed[0]!.code).toBe('CURVE_GRADUATED')
        else expect(routes[0]!.amountOut).toBe(expected.tokensOut)
      }),
    )
  })
})
