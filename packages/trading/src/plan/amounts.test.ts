import { quoteCurveSell, readSwap } from '@pit/chain'
import { encodeSwap } from '@pit/plans'
import { COSIGNER, feeOf, lessBps } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  curveOf,
  ETH,
  type Flags,
  MEME,
  quoteOf,
  RECIPIENT,
  token,
  USDG,
  WETH,
} from '../../test/tradeFixtures.ts'
import type { TradeToken } from '../types.ts'
import { markBoundOf, orderShareOf, outcomeOf } from './amounts.ts'

const bps = fc.integer({ min: 0, max: 1_000 })
const atoms = fc.bigInt({ min: 1n, max: 10n ** 30n })
const taxed = (flags: Partial<Flags>) => token('TAXED', MEME.address, { flags })

it('keeps the minimum positive, at most the expected output, and enforced by the contract', () => {
  fc.assert(
    fc.property(
      atoms,
      bps,
      fc.integer({ min: 0, max: 100 }),
      fc.record({ buy_tax_bps: bps, transfer_tax_bps: bps, sell_tax_bps: fc.constant(0) }),
      fc.constantFrom('v2' as const, 'v3' as const),
      fc.constantFrom('input' as const, 'output' as const),
      (amountOut, slippageBps, feeBps, flags, way, feeSide) => {
        const { quote, route } = quoteOf({
          tokenOut: taxed(flags),
          amountOut,
          feeBps,
          feeSide,
          way,
          quote: { slippageBps },
        })
        const { expected, min, contractMin } = outcomeOf(quote, route)
        expect(expected).toBeLessThanOrEqual(amountOut)
        expect(min).toBeGreaterThan(0n)
        expect(contractMin).toBeGreaterThanOrEqual(min)
        if (expected > 0n) expect(min).toBeLessThanOrEqual(expected)
        // The minimum is at most a rounding error below expected minus slippage.
        const tolerated = expected - feeOf(expected, slippageBps)
        expect(min).toBeGreaterThanOrEqual(tolerated - 4n)
      },
    ),
    { numRuns: 500 },
  )
})

it('raises the minimum to the owner’s floor and not further', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 10_000n, max: 10n ** 24n }),
      fc.integer({ min: 0, max: 10_000 }),
      fc.record({ buy_tax_bps: bps, transfer_tax_bps: bps }),
      fc.constantFrom('input' as const, 'output' as const),
      (amountOut, share, flags, feeSide) => {
        const { quote, route } = quoteOf({ tokenOut: taxed(flags), amountOut, feeSide })
        const plain = outcomeOf(quote, route)
        const minAmountOut = (plain.expected * BigInt(share)) / 10_000n
        const floored = outcomeOf(quote, route, { minAmountOut })
        expect(floored.min).toBeGreaterThanOrEqual(minAmountOut)
        expect(floored.min).toBeGreaterThanOrEqual(plain.min)
        if (minAmountOut <= plain.min) expect(floored).toEqual(plain)
        else expect(floored.min - minAmountOut).toBeLessThan(2n)
      },
    ),
    { numRuns: 500 },
  )
})

it('keeps the minimum of a signed order within its slippage at the marks, with what is left below the quote', () => {
  const mark = (usd: number) => ({ priceE18: BigInt(usd) * 10n ** 18n, source: 'oracle_feed' }) as never
  const dollar = { ...USDG, mark: mark(1) }
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: -200, max: 400 }),
      fc.constantFrom('input' as const, 'output' as const),
      fc.bigInt({ min: 1_000_000n, max: 1_000_000_000n }),
      (maxSlippageBps, worseBps, feeSide, amountIn) => {
        const feeBps = 25
        const swapIn = amountIn - (feeSide === 'input' ? feeOf(amountIn, feeBps) : 0n)
        const { quote, route } = quoteOf({
          tokenIn: dollar,
          tokenOut: { ...token('TEN', MEME.address), mark: mark(10) },
          amountIn,
          amountOut: (swapIn * 10n ** 11n * BigInt(10_000 - worseBps)) / 10_000n,
          feeBps,
          feeSide,
          request: { orderBounds: { amountIn, minAmountOut: 0n, maxSlippageBps } },
          quote: { slippageBps: maxSlippageBps },
        })
        const { least, limitBps, shortfallBps } = markBoundOf(quote)!
        const { expected, min } = outcomeOf(quote, route)
        expect(limitBps).toBe(maxSlippageBps + feeBps)
        expect(shortfallBps(min)).toBeLessThanOrEqual(BigInt(limitBps))
        expect(min).toBeGreaterThanOrEqual(lessBps(expected, maxSlippageBps))
        if (worseBps < maxSlippageBps) expect(least).toBeLessThanOrEqual(expected)
        if (worseBps > maxSlippageBps) expect(least).toBeGreaterThan(expected)
        if (least > expected) return
        expect(min).toBeLessThanOrEqual(expected)
        // Half of what is left, or ten basis points, stay for a newer price.
        expect(min - least).toBeGreaterThanOrEqual(
          (expected - least) / 2n < expected / 1_000n ? (expected - least) / 2n : expected / 1_000n - 2n,
        )
      },
    ),
    { numRuns: 500 },
  )
})

it('raises the minimum to the trade’s share of its signed order’s', () => {
  const orderBounds = { amountIn: 300n, minAmountOut: 1_000n, maxSlippageBps: 100 }
  const { quote, route } = quoteOf({ amountIn: 100n, amountOut: 336n, request: { orderBounds } })
  expect(orderShareOf(quote)).toBe(334n)
  expect(outcomeOf(quote, route).min).toBe(334n)
})

it('holds a signed order to the co-signer’s own band, and to nothing without marks', () => {
  const mark = { priceE18: 10n ** 18n, source: 'oracle_feed' } as never
  const orderBounds = { amountIn: 1n, minAmountOut: 0n, maxSlippageBps: 5_000 }
  const wide = { request: { orderBounds }, feeBps: 50 }
  const marked = { ...MEME, mark }
  const of = (change: object) =>
    markBoundOf(quoteOf({ ...wide, tokenIn: { ...USDG, mark }, tokenOut: marked, ...change }).quote)
  expect(of({})?.limitBps).toBe(COSIGNER.maxSlippageBps + 50)
  expect(of({ request: {} })).toBeNull()
  expect(of({ tokenOut: MEME })).toBeNull()
})

it('applies slippage to the gross output, then the fee', () => {
  const { quote, route } = quoteOf({
    tokenIn: MEME,
    tokenOut: USDG,
    amountIn: 10n ** 18n,
    amountOut: 1_000_000n,
    feeSide: 'output',
    feeBps: 50,
  })
  expect(outcomeOf(quote, route)).toEqual({
    direct: false,
    countsBeforeTax: false,
    expected: 995_000n,
    min: 990_000n - feeOf(990_000n, 50),
    contractMin: 985_050n,
    outputFee: 5_000n,
  })
})

it('clamps the minimum to what a call can encode', () => {
  const { quote, route } = quoteOf({ tokenOut: taxed({ buy_tax_bps: 500, transfer_tax_bps: 500 }) })
  const { contractMin } = outcomeOf(quote, route, { minAmountOut: 10n ** 77n })
  expect(contractMin).toBe((1n << 128n) - 1n)
})

it('checks the minimum against what arrives at the router, for every pool version', () => {
  for (const way of ['v2', 'v3'] as const) {
    const { quote, route } = quoteOf({ tokenOut: taxed({ buy_tax_bps: 500 }), amountOut: 1_000_000n, way })
    expect(outcomeOf(quote, route)).toMatchObject({
      expected: 950_000n,
      min: 940_500n,
      contractMin: 940_500n,
      direct: false,
      countsBeforeTax: false,
    })
  }
})

it('pays the wallet directly if transfers are taxed: v2 counts what arrives, v3 what was sent', () => {
  const flags = { buy_tax_bps: 500, transfer_tax_bps: 500 }
  const of = (way: 'v2' | 'v3') => {
    const { quote, route } = quoteOf({ tokenOut: taxed(flags), amountOut: 1_000_000n, way })
    return outcomeOf(quote, route)
  }
  const common = { expected: 950_000n, min: 940_500n, direct: true }
  expect(of('v3')).toMatchObject({ ...common, contractMin: 990_000n, countsBeforeTax: true })
  expect(of('v2')).toMatchObject({ ...common, contractMin: 940_500n, countsBeforeTax: false })
})

it('goes through the router, taxed once more, if v2 cannot count the wallet’s balance', () => {
  const flags = { buy_tax_bps: 500, transfer_tax_bps: 500 }
  const of = (way: 'v2' | 'v3') => {
    const { quote, route } = quoteOf({ tokenOut: taxed(flags), amountOut: 1_000_000n, way })
    return outcomeOf({ ...quote, request: { ...quote.request, minimumAtRouter: true } }, route)
  }
  expect(of('v2')).toMatchObject({ direct: false, expected: 902_500n, min: 893_475n, contractMin: 940_500n })
  expect(of('v3')).toMatchObject({ direct: true, contractMin: 990_000n })
})

it('pays the wallet directly for core tokens only, and never from a v2 pool', () => {
  const directOf = (tokenOut: TradeToken, way: 'v2' | 'v3', more: Parameters<typeof quoteOf>[0] = {}) => {
    const { quote, route } = quoteOf({ tokenIn: ETH, tokenOut, way, ...more })
    return outcomeOf(quote, route).direct
  }
  expect(directOf(USDG, 'v3')).toBe(true)
  expect(directOf(USDG, 'v2')).toBe(false)
  expect(directOf(USDG, 'v3', { feeSide: 'output' })).toBe(false)
  expect(directOf(MEME, 'v3')).toBe(false)
  expect(directOf(taxed({ transfer_tax_bps: 0 }), 'v3')).toBe(false)
  // A pool pays WETH, which still has to be unwrapped.
  expect(directOf(ETH, 'v3', { tokenIn: USDG })).toBe(false)
})

it('applies the sell tax', () => {
  const { quote, route } = quoteOf({
    tokenIn: taxed({ sell_tax_bps: 1_000 }),
    tokenOut: USDG,
    amountOut: 1_000_000n,
    feeSide: 'output',
    feeBps: 0,
    quote: { slippageBps: 0 },
  })
  expect(outcomeOf(quote, route)).toMatchObject({ expected: 900_000n, min: 900_000n })
  // 90% of the input yields more than 90% of the output, if the pools quoted it.
  const quoted = { ...route, outAfterSellTax: 915_000n }
  expect(outcomeOf(quote, quoted)).toMatchObject({ expected: 915_000n, min: 915_000n })
})

it('charges the fee of a curve sale as a fixed amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 10n ** 18n, max: 10n ** 25n }), bps, (amountIn, slippageBps) => {
      const curve = curveOf()
      const { pairOut } = quoteCurveSell(curve, amountIn)!
      const { quote, route } = quoteOf({
        tokenIn: MEME,
        tokenOut: ETH,
        amountIn,
        amountOut: pairOut,
        feeSide: 'output',
        way: curve,
        quote: { slippageBps },
      })
      const { expected, min, contractMin, outputFee } = outcomeOf(quote, route)
      expect(outputFee).toBe(feeOf(pairOut, 50))
      expect(expected).toBe(pairOut - outputFee)
      expect(contractMin).toBe(min + outputFee)
      expect(contractMin).toBe(pairOut - feeOf(pairOut, slippageBps))
    }),
  )
})

it('encodes the same minimum into the call', () => {
  const { quote, route } = quoteOf({ amountOut: 1_000_000n })
  const { contractMin, min } = outcomeOf(quote, route)
  if (route.way.kind !== 'pools') throw new Error('expected a pool route')
  const { data } = encodeSwap({
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn: quote.amountIn,
    legs: route.way.legs,
    amountOutMin: contractMin,
    direct: false,
    fee: { bps: 50, side: 'input', recipient: RECIPIENT },
    deadlineS: 1n,
    weth: WETH,
  })
  const reading = readSwap(data, { weth: WETH })
  expect('fault' in reading ? reading.fault : reading.amountOutMin).toBe(min)
})
