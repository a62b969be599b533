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
    { tokenIn: ETH, tokenOut: LAUNCHED, amountIn: ETHER / 100n, atS: NOW_S, ...over },
  )

describe('a curve', () => {
  it('is bought and sold as its contract counts', () => {
    const one = curve()
    const buy = quote(one)
    expect(buy.failed).toEqual([])
    expect(buy.found[0]).toMatchObject({
      venue: 'venue_curve',
      label: 'ETH → 0x0000…00f3 (curve)',
      quotedBy: 'memory',
      amountOut: quoteCurveBuy(one, ETHER / 100n, NOW_S)!.tokensOut,
      way: { kind: 'curve', side: 'buy', curve: { id: one.id } },
    })
    const sell = quote(one, { tokenIn: LAUNCHED, tokenOut: ETH, amountIn: 10n ** 24n })
    expect(sell.found[0]).toMatchObject({
      amountOut: quoteCurveSell(one, 10n ** 24n)!.pairOut,
      way: { kind: 'curve', side: 'sell' },
    })
    expect(sell.found[0]!.id).not.toBe(buy.found[0]!.id)
  })

  it('keeps its state as it was: a later trade changes the curve, not the quote', () => {
    const one = curve()
    const { way } = quote(one).found[0]!
    one.x += 5n
    expect(way?.kind === 'curve' && way.curve.x).toBe(one.x - 5n)
  })

  it('counts no tax as impact', () => {
    expect(quote(curve(), { amountIn: 10n ** 12n }).found[0]!.impactBps).toBeLessThan(0.1)
    const large = quote(curve({ creatorTaxBps: 500 }), { amountIn: ETHER })
    expect(large.found[0]!.impactBps).toBeCloseTo((0.94 / 10.94) * 10_000, 0)
    const sold = quote(curve(), { tokenIn: LAUNCHED, tokenOut: ETH, amountIn: 10n ** 26n })
    expect(sold.found[0]!.impactBps).toBeCloseTo((0.1 / 1.1) * 10_000, 0)
  })

  it.each([
    ['graduated', curve({ graduated: true }), {}, 'CURVE_GRADUATED'],
    ['would graduate', curve(), { amountIn: 1_000n * ETHER }, 'CURVE_GRADUATED'],
    ['another pair', curve({ pair: USDG }), {}, 'CURVE_PAIR'],
    ['sniped', curve({ launchedAtS: NOW_S - 5 }), {}, 'SNIPE_TAX'],
    [
      'nothing for so little',
      curve({ x: 10n ** 30n, y: 10n ** 15n, yFloor: 0n }),
      { amountIn: 1n },
      undefined,
    ],
    ['nothing for so few', curve({ x: 1n }), { tokenIn: LAUNCHED, tokenOut: ETH, amountIn: 1n }, undefined],
  ] as const)('that is %s is told with its reason', (_, one, over, code) => {
    const { found, failed } = quote(one, over)
    expect(found).toEqual([])
    expect(failed).toEqual([expect.objectContaining({ venue: 'venue_curve', why: expect.any(String) })])
    expect(failed[0]!.code).toBe(code)
  })

  it('says when the snipe tax ends, and lets holders sell meanwhile', () => {
    const one = curve({ launchedAtS: NOW_S - 5 })
    expect(quote(one).failed[0]).toMatchObject({ retryAfterS: 15, why: expect.stringContaining('60%') })
    expect(quote(one, { tokenIn: LAUNCHED, tokenOut: ETH, amountIn: 10n ** 24n }).found.length).toBe(1)
    expect(quote(one, { atS: NOW_S + 15 }).found.length).toBe(1)
  })

  it('is not looked for between tokens that have none', () => {
    expect(quote(curve(), { tokenOut: USDG })).toEqual({ found: [], failed: [] })
  })

  it('never says more than the contract gives', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 100n * ETHER }), (amountIn) => {
        const one = curve()
        const { found, failed } = quote(one, { amountIn })
        const said = quoteCurveBuy(one, amountIn, NOW_S)!
        if (said.graduates) expect(failed[0]!.code).toBe('CURVE_GRADUATED')
        else expect(found[0]!.amountOut).toBe(said.tokensOut)
      }),
    )
  })
})
