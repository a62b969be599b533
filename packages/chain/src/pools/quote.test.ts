import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../bytes/hex.ts'
import { quoteCurveBuy, quoteCurveSell, snipeTaxBps } from '../launchpads/index.ts'
import { newV2Pool, newV4Pool } from './create.ts'
import { DYNAMIC_FEE, hookEffectOf, hookFlags } from './hooks.ts'
import { changeLiquidity } from './liquidity.ts'
import { quoteExactIn, quoteExactOut, v2AmountIn, v2AmountOut, v4SwapFeePips } from './quote.ts'
import { sqrtPriceAtTick } from './tickMath.ts'
import type { CurvePool } from './types.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

const A: Address = `0x${'aa'.repeat(20)}`
const T0: Address = `0x${'11'.repeat(20)}`
const T1: Address = `0x${'22'.repeat(20)}`
const reserve = () => fc.bigInt(1n, (1n << 112n) - 1n)

describe('v2', () => {
  it('is the pair’s own 997/1000', () => {
    fc.assert(
      fc.property(reserve(), reserve(), reserve(), (amount, x, y) => {
        expect(v2AmountOut(amount, x, y, 30)).toBe((amount * 997n * y) / (x * 1000n + amount * 997n))
        if (amount < y)
          expect(v2AmountIn(amount, x, y, 30)).toBe((x * amount * 1000n) / ((y - amount) * 997n) + 1n)
      }),
      { numRuns: 2000 * SHARE },
    )
  })
  it('never lowers the product, whatever the fee', () => {
    fc.assert(
      fc.property(reserve(), reserve(), reserve(), fc.nat({ max: 9999 }), (amount, x, y, feeBps) => {
        const out = v2AmountOut(amount, x, y, feeBps)
        expect((x + amount) * (y - out)).toBeGreaterThanOrEqual(x * y)
      }),
    )
  })
  it('quotes nothing where the pair would revert', () => {
    const pool = newV2Pool({ id: A, token0: T0, token1: T1 })
    expect(quoteExactIn(pool, true, 5n)).toBeUndefined()
    Object.assign(pool, { reserve0: 1000n, reserve1: 2000n })
    expect(quoteExactIn(pool, true, 0n)).toBeUndefined()
    expect(quoteExactIn(pool, true, -5n)).toBeUndefined()
    expect(quoteExactIn(pool, true, 10n)).toMatchObject({ amountIn: 10n, amountOut: 19n, filled: true })
    expect(quoteExactIn(pool, false, 1n)).toBeUndefined()
    expect(quoteExactIn(pool, true, 1n << 112n)).toBeUndefined()
    expect(quoteExactOut(pool, true, 2000n)).toBeUndefined()
    expect(quoteExactOut(pool, true, 19n)).toMatchObject({ amountIn: 10n, amountOut: 19n })
  })
})

describe('v4', () => {
  const key = {
    currency0: T0,
    currency1: T1,
    fee: 3000,
    tickSpacing: 60,
    hooks: `0x${'00'.repeat(20)}` as Address,
  }
  const at = (address: Address, fee = 3000) => ({ ...key, hooks: address, fee })

  it('adds the protocol’s fee of each direction', () => {
    expect(v4SwapFeePips({ protocolFee: 0, lpFeePips: 3000 }, true)).toBe(3000)
    expect(v4SwapFeePips({ protocolFee: (500 << 12) | 1000, lpFeePips: 3000 }, true)).toBe(3997)
    expect(v4SwapFeePips({ protocolFee: (500 << 12) | 1000, lpFeePips: 3000 }, false)).toBe(3499)
    expect(v4SwapFeePips({ protocolFee: 1000, lpFeePips: 1_000_000 }, true)).toBe(1_000_000)
  })

  it('quotes by state where no hook has a say, and not otherwise', () => {
    const pool = newV4Pool(`0x${'77'.repeat(32)}`, key)
    expect(quoteExactIn(pool, true, 10n)).toBeUndefined()
    pool.sqrtPriceX96 = sqrtPriceAtTick(0)
    changeLiquidity(pool, -600, 600, 10n ** 20n)
    const fair = quoteExactIn(pool, true, 10n ** 15n)!
    expect(fair.filled).toBe(true)
    pool.protocolFee = 1000
    expect(quoteExactIn(pool, true, 10n ** 15n)!.amountOut).toBeLessThan(fair.amountOut)
    expect(quoteExactIn(pool, false, 10n ** 15n)!.amountOut).toBe(fair.amountOut)
    expect(quoteExactIn(pool, true, 1n << 127n)).toBeUndefined()
    pool.lpFeePips = 1_000_000
    expect(quoteExactIn(pool, true, 10n ** 15n)).toMatchObject({ amountOut: 0n, amountIn: 10n ** 15n })
    expect(quoteExactOut(pool, true, 10n)).toBeUndefined()
    pool.key = at(`0x${'00'.repeat(19)}44`)
    expect(quoteExactIn(pool, true, 10n ** 15n)).toBeUndefined()
  })

  it('reads a hook’s address', () => {
    expect(hookFlags(`0x${'00'.repeat(20)}`)).toEqual([])
    expect(hookFlags(`0x${'ff'.repeat(18)}c0c8`)).toEqual([
      'beforeSwap',
      'afterSwap',
      'beforeSwapReturnsDelta',
    ])
    expect(hookEffectOf(at(`0x${'00'.repeat(18)}00c0`))).toBe('none')
    expect(hookEffectOf(at(`0x${'00'.repeat(18)}1000`, DYNAMIC_FEE))).toBe('none')
    expect(hookEffectOf(at(`0x${'00'.repeat(18)}0080`, DYNAMIC_FEE))).toBe('fee')
    expect(hookEffectOf(at(`0x${'00'.repeat(18)}0044`))).toBe('amounts')
    expect(hookEffectOf(at(`0x${'00'.repeat(18)}0088`))).toBe('amounts')
  })
})

describe('curves', () => {
  const curve: CurvePool = {
    version: 'curve',
    launchpad: 'pit',
    id: A,
    token: T0,
    pair: T1,
    x: 5n * 10n ** 18n,
    y: 1_066_666_666_666666666666666667n,
    yFloor: 266_666_666_666666666666666667n,
    saleSupply: 800_000_000n * 10n ** 18n,
    curveFeeBps: 100,
    creatorTaxBps: 200,
    snipeStartBps: 8000,
    snipeSeconds: 20,
    launchedAtS: 1000,
    graduated: false,
  }
  const amount = () => fc.bigInt(1n, 20n * 10n ** 18n)

  it('tax snipers less each second', () => {
    expect([1000, 1001, 1010, 1019, 1020, 5000].map((at) => snipeTaxBps(curve, at))).toEqual([
      8000, 7600, 4000, 400, 0, 0,
    ])
  })
  it('never make a round trip pay, and account for every wei', () => {
    fc.assert(
      fc.property(amount(), fc.integer({ min: 1000, max: 1030 }), (amountIn, at) => {
        const buy = quoteCurveBuy(curve, amountIn, at)!
        const net = buy.spent - buy.curveFee - buy.creatorTax - buy.snipeTax
        expect(buy.curveFee).toBeGreaterThanOrEqual(0n)
        expect(buy.spent).toBeLessThanOrEqual(amountIn)
        const after = { ...curve, x: curve.x + net, y: curve.y - buy.tokensOut }
        expect(after.x * after.y).toBeGreaterThanOrEqual(curve.x * curve.y)
        expect(after.y).toBeGreaterThanOrEqual(curve.yFloor)
        expect(buy.graduates).toBe(after.y === curve.yFloor)
        if (buy.tokensOut === 0n) return
        const sell = quoteCurveSell(after, buy.tokensOut)!
        expect(sell.pairOut).toBeLessThanOrEqual(buy.spent)
        expect(sell.pairOut + sell.curveFee + sell.creatorTax).toBeLessThanOrEqual(net)
      }),
      { numRuns: 2000 * SHARE },
    )
  })
  it('spend no more than the last token needs', () => {
    const whole = quoteCurveBuy(curve, 10n ** 24n, 5000)!
    expect(whole).toMatchObject({ graduates: true, tokensOut: curve.y - curve.yFloor })
    expect(quoteCurveBuy(curve, whole.spent, 5000)).toMatchObject({
      tokensOut: whole.tokensOut,
      graduates: true,
    })
    expect(quoteCurveBuy(curve, (whole.spent * 999n) / 1000n, 5000)).toMatchObject({ graduates: false })
  })
  it('are over once graduated', () => {
    expect(quoteCurveBuy({ ...curve, graduated: true }, 5n, 5000)).toBeUndefined()
    expect(quoteCurveSell({ ...curve, graduated: true }, 5n)).toBeUndefined()
  })
})
