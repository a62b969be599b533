import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { address, ETH, MEME, NOW_S, quoteOf, USDG } from '../../test/tradeFixtures.ts'
import {
  type ApprovalTerms,
  curveNeed,
  isUnlimited,
  leftAfter,
  MAX_UINT160,
  MAX_UINT256,
  routerNeed,
} from './approvals.ts'

const DEADLINE = NOW_S + 120
const times = { anchorS: NOW_S, deadlineS: DEADLINE }
const terms = (over: Partial<ApprovalTerms> = {}): ApprovalTerms => ({
  mode: 'budget',
  budgetUsd: 250,
  permitMode: 'signature',
  permitScope: 'trade',
  ...over,
})
const permit = (amount: bigint, expirationS: number) => ({ amount, expirationS, nonce: 0 })
const NONE = permit(0n, 0)
const LIVE = permit(100_000_000n, DEADLINE)

describe('for the router, 100 USD of USDG and a budget of 250 USD', () => {
  const { quote } = quoteOf()
  it.each([
    ['nothing approved', 0n, NONE, 250_000_000n, true],
    ['a lasting permit, nothing approved', 0n, LIVE, 250_000_000n, false],
    ['an approval one atom too small', 99_999_999n, LIVE, 250_000_000n, false],
    ['both exactly sufficient', 100_000_000n, LIVE, null, false],
    ['a permit one atom too small', 100_000_000n, permit(99_999_999n, DEADLINE), null, true],
    ['a permit that ends before the deadline', 100_000_000n, permit(100_000_000n, DEADLINE - 1), null, true],
    ['an unlimited approval, no permit', MAX_UINT256, NONE, null, true],
  ])('%s', (_, allowance, state, approve, needsGrant) => {
    const need = routerNeed(quote, { allowance, permit: state }, terms(), times)
    expect(need.approve).toBe(approve)
    expect(need.grant !== null).toBe(needsGrant)
    expect(need.needed).toBe(100_000_000n)
  })

  it.each([
    ['exact', 'trade', 100_000_000n, 100_000_000n, NOW_S + 1_800],
    ['budget', 'trade', 250_000_000n, 100_000_000n, NOW_S + 1_800],
    ['unlimited', 'trade', MAX_UINT256, 100_000_000n, NOW_S + 1_800],
    ['exact', '30d', 100_000_000n, 100_000_000n, NOW_S + 2_592_000],
    ['budget', '30d', 250_000_000n, 250_000_000n, NOW_S + 2_592_000],
    ['unlimited', '30d', MAX_UINT256, MAX_UINT160, NOW_S + 2_592_000],
  ] as const)('mode %s, scope %s', (mode, permitScope, approve, amount, expirationS) => {
    const need = routerNeed(quote, { allowance: 0n, permit: NONE }, terms({ mode, permitScope }), times)
    expect(need).toMatchObject({ approve, grant: { amount, expirationS } })
  })
})

it('approves nothing for ETH', () => {
  const { quote } = quoteOf({ tokenIn: ETH })
  const need = routerNeed(quote, { allowance: 0n, permit: NONE }, terms(), times)
  expect(need).toMatchObject({ approve: null, grant: null, needed: 0n })
  expect(curveNeed(quote, { curveAllowance: 0n }, terms(), 5n)).toMatchObject({ approve: null, needed: 0n })
})

it('approves what the trade needs if the budget is too small or there is no price', () => {
  const { quote } = quoteOf()
  const small = routerNeed(quote, { allowance: 0n, permit: NONE }, terms({ budgetUsd: 5 }), times)
  expect(small.approve).toBe(100_000_000n)
  const unpriced = { ...quote, notionalMicroUsd: null }
  expect(routerNeed(unpriced, { allowance: 0n, permit: NONE }, terms(), times).approve).toBe(100_000_000n)
})

it('limits the grant of a worthless token to what Permit2 can encode', () => {
  const { quote } = quoteOf({ amountIn: 1n << 127n, quote: { notionalMicroUsd: 1n } })
  const wide = terms({ budgetUsd: 10_000, permitScope: '30d' })
  const { approve, grant } = routerNeed(quote, { allowance: 0n, permit: NONE }, wide, times)
  expect(grant!.amount).toBe(MAX_UINT160 - 1n)
  expect(isUnlimited(approve!)).toBe(false)
})

it('approves the input less the fee to a curve', () => {
  const { quote } = quoteOf({ tokenIn: USDG, tokenOut: MEME })
  expect(
    curveNeed(quote, { curveAllowance: 99_499_999n }, terms({ mode: 'exact' }), quote.swapIn),
  ).toMatchObject({
    approve: 99_500_000n,
    grant: null,
  })
  expect(curveNeed(quote, { curveAllowance: 99_500_000n }, terms(), quote.swapIn).approve).toBeNull()
})

it('always covers the trade and reports the remaining allowance correctly', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.bigInt({ min: 1n, max: 10n ** 10n }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.constantFrom('exact' as const, 'budget' as const),
      (amountIn, allowance, notionalMicroUsd, budgetUsd, mode) => {
        const { quote } = quoteOf({ amountIn, quote: { notionalMicroUsd } })
        const need = routerNeed(quote, { allowance, permit: NONE }, terms({ mode, budgetUsd }), times)
        const granted = need.approve ?? allowance
        expect(granted).toBeGreaterThanOrEqual(amountIn)
        expect(leftAfter(need)).toBe(granted - amountIn)
        expect(need.grant?.amount).toBe(amountIn)
        if (mode === 'exact' && need.approve !== null) expect(leftAfter(need)).toBe(0n)
      },
    ),
  )
})

it('recognizes unlimited approvals', () => {
  expect([MAX_UINT256, MAX_UINT160, (1n << 96n) - 1n].every(isUnlimited)).toBe(true)
  expect([0n, 10n ** 30n, 1n << 96n, MAX_UINT160 - 1n].some(isUnlimited)).toBe(false)
  const { quote } = quoteOf({ tokenIn: { ...USDG, address: address('4') } })
  const need = routerNeed(quote, { allowance: MAX_UINT256, permit: NONE }, terms(), times)
  expect(leftAfter(need)).toBe(MAX_UINT256)
})
