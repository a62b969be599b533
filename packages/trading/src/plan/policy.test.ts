import { ERRORS, isPitError, type PitError, type RiskCode, TRADE } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ETH, MEME, quoteOf, STOCK, token, USDG, walletState } from '../../test/tradeFixtures.ts'
import type { Risk, TradeQuote, WalletState } from '../types.ts'
import { MAX_UINT256 } from './approvals.ts'
import { acceptedOf, checkPolicy, passes, refuseByPolicy, refuseTerms } from './policy.ts'
import type { PolicyContext } from './policyContext.ts'
import { POLICY } from './policyRules.ts'

interface Case {
  quote?: Partial<TradeQuote>
  route?: Parameters<typeof quoteOf>[0] extends infer W ? (W extends { route?: infer R } ? R : never) : never
  request?: Partial<TradeQuote['request']>
  context?: Partial<PolicyContext>
  wallet?: Partial<WalletState>
}
const risk = (code: RiskCode, severity: 'severe' | 'info' = 'severe'): Risk => ({
  code,
  severity,
  message: code,
})
const stocks = (over: object) => [{ token: STOCK.address, paused: false, blocked: false, ...over }]
const fine = { mode: 'budget', budgetUsd: 25, allowUnlimited: false }

/** A failing trade for each refusing rule, in the policy's order. */
const FAILING: Record<string, Case> = {
  APPROVAL_MODE: { context: { approval: { ...fine, mode: 'some' } } },
  APPROVAL_BUDGET: { context: { approval: { ...fine, budgetUsd: 10_000.01 } } },
  UNLIMITED_APPROVAL: { context: { approval: { ...fine, mode: 'unlimited' } } },
  NO_MARK: { quote: { notionalMicroUsd: null } },
  MIN_NOTIONAL: { quote: { notionalMicroUsd: 999_999n } },
  MAX_NOTIONAL: { quote: { notionalMicroUsd: 10_000_000_001n } },
  MAX_SLIPPAGE: { quote: { slippageBps: 1_001 } },
  FEE_BPS: { context: { maxFeeBps: 49 } },
  MAX_FEE: { quote: { fee: { ...quoteOf().quote.fee, bps: 101 } } },
  GEOFENCE: { quote: { tokenOut: STOCK }, context: { attestsNonUs: false }, wallet: { stocks: stocks({}) } },
  STOCK_PAUSED: { quote: { tokenOut: STOCK }, wallet: { stocks: stocks({ paused: true }) } },
  WALLET_BLOCKED: { quote: { tokenOut: STOCK }, wallet: { stocks: stocks({ blocked: true }) } },
  RISK_BLOCKED: {
    request: { shield: true },
    quote: { risks: [risk('AUDIT_FLAGGED')] },
    context: { acceptRisks: ['AUDIT_FLAGGED'] },
  },
  RISK_NOT_ACCEPTED: { quote: { risks: [risk('HONEYPOT')] } },
  NO_REFERENCE_MID: { quote: { midDue: true, mid: null } },
  ROUTE_VS_MID: { quote: { mid: 1 }, route: { vsMidBps: -300.5 } },
  ROUTE_VS_REF: { route: { guardBps: 1_000.5 } },
  LIMIT_NOT_REACHABLE: { context: { minAmountOut: 50n * 10n ** 18n + 1n } },
}

function judge(one: Case) {
  const { quote, route } = quoteOf({
    ...(one.request && { request: one.request }),
    ...(one.quote && { quote: one.quote }),
    ...(one.route && { route: one.route }),
  })
  const context: PolicyContext = {
    acceptRisks: [],
    attestsNonUs: true,
    approval: fine,
    route,
    wallet: walletState(one.wallet),
    ...one.context,
  }
  const checks = checkPolicy(quote, context)
  let error: PitError | undefined
  try {
    refuseByPolicy(quote, context, checks)
  } catch (thrown) {
    if (!isPitError(thrown)) throw thrown
    error = thrown
  }
  return { checks, error, quote, context }
}

const merge = (a: Case, b: Case): Case => ({
  quote: { ...a.quote, ...b.quote },
  route: { ...a.route, ...b.route },
  request: { ...a.request, ...b.request },
  wallet: { ...a.wallet, ...b.wallet, stocks: [...(a.wallet?.stocks ?? []), ...(b.wallet?.stocks ?? [])] },
  context: { ...a.context, ...b.context },
})

const refusing = POLICY.filter(({ severity }) => severity === 'refuse').map(({ code }) => code)

it('passes a plain trade and lists the rules that ran', () => {
  const { checks, error } = judge({})
  expect(error).toBeUndefined()
  expect(passes(checks)).toBe(true)
  expect(checks.map(({ code }) => code)).toEqual([
    'APPROVAL_MODE',
    'APPROVAL_BUDGET',
    'MIN_NOTIONAL',
    'MAX_NOTIONAL',
    'MAX_SLIPPAGE',
    'MAX_FEE',
    'RISK_NOT_ACCEPTED',
    'UNLIMITED_APPROVAL_IN_PLACE',
    'TOKEN_TIER',
  ])
})

it('names both figures when a quote is further below the marks than its signed order allows', () => {
  const mark = (usd: bigint) => ({ priceE18: usd * 10n ** 18n, source: 'oracle_feed' }) as never
  // 100 USDG for 50 tokens of 2.02 dollars: 1% better than mark; of 1.96 dollars: 2% worse.
  const at = (centsOut: bigint) => {
    const quote = {
      tokenIn: { ...USDG, mark: mark(1n) },
      tokenOut: { ...MEME, mark: { priceE18: centsOut * 10n ** 16n, source: 'oracle_feed' } as never },
    }
    const orderBounds = { amountIn: 100_000_000n, minAmountOut: 0n, maxSlippageBps: 100 }
    return judge({ request: { orderBounds }, quote }).error
  }
  expect(at(202n)).toBeUndefined()
  expect(at(196n)).toMatchObject({
    code: 'LIMIT_NOT_REACHABLE',
    message: 'The quote is 200 bps worse than mark; the order allows 150 bps, fee included.',
  })
})

it('has a failing trade here for every refusing rule', () => {
  expect(Object.keys(FAILING)).toEqual(refusing)
})

it.each(Object.entries(FAILING))('refuses %s, with extras its row names', (code, one) => {
  const { error, checks } = judge(one)
  expect(error?.code).toBe(code)
  expect(checks.find((check) => check.code === code)).toMatchObject({ ok: false, severity: 'refuse' })
  expect(passes(checks)).toBe(false)
  const row = ERRORS[code as keyof typeof ERRORS]
  for (const extra of Object.keys(error!.extras)) expect(row.extras).toContain(extra)
})

it('refuses with the earlier of two failures and lists both', () => {
  // One field cannot have two wrong values at once.
  const clashes = (a: object = {}, b: object = {}): boolean =>
    Object.entries(a).some(([name, value]) => name in b && (b as Record<string, unknown>)[name] !== value)
  const share = (a: Case, b: Case) => clashes(a.quote, b.quote) || clashes(a.context, b.context)
  fc.assert(
    fc.property(fc.constantFrom(...refusing), fc.constantFrom(...refusing), (first, second) => {
      const [a, b] = [FAILING[first]!, FAILING[second]!]
      fc.pre(first !== second && !share(a, b))
      const earlier = refusing.indexOf(first) < refusing.indexOf(second) ? first : second
      const { error, checks } = judge(merge(a, b))
      expect(error?.code).toBe(earlier)
      const failed = checks.filter(({ ok, severity }) => !ok && severity === 'refuse').map(({ code }) => code)
      expect(failed).toEqual(expect.arrayContaining([first, second]))
    }),
    { numRuns: 400 },
  )
})

it('reports unaccepted risks, blocks of shield policies and every check', () => {
  const severe = judge({
    quote: { risks: [risk('HONEYPOT'), risk('SELL_TAX'), risk('PROXY', 'info')] },
    context: { acceptRisks: ['SELL_TAX', 'NO_SUCH_RISK'] },
  })
  expect(severe.error?.extras).toMatchObject({ unaccepted: ['HONEYPOT'], policy: { checks: severe.checks } })
  expect(acceptedOf(severe.quote, severe.context)).toEqual(['SELL_TAX'])

  const shielded = judge({
    request: { shield: true, policies: ['block_severe', 'block_new'] },
    quote: { risks: [risk('HONEYPOT'), risk('NEW_TOKEN', 'info')] },
    context: { acceptRisks: ['HONEYPOT'] },
  })
  expect(shielded.error?.code).toBe('RISK_BLOCKED')
  expect(shielded.error?.extras).toMatchObject({
    blocked: ['HONEYPOT', 'NEW_TOKEN'],
    policy: { names: ['block_severe', 'block_new'] },
  })
})

it('counts the risks of the route in question', () => {
  const { error } = judge({ route: { risks: [risk('UNKNOWN_HOOK')] } })
  expect(error?.extras['unaccepted']).toEqual(['UNKNOWN_HOOK'])
})

it('uses a size in dollars as requested, without conversion', () => {
  expect(judge({ quote: { notionalMicroUsd: 999_999n }, request: { notionalUsd: 1 } }).error).toBeUndefined()
  expect(judge({ quote: { notionalMicroUsd: 999_999n }, context: { notionalUsd: 1 } }).error).toBeUndefined()
  expect(
    judge({ quote: { notionalMicroUsd: 1_000_000n }, request: { notionalUsd: 0.999999 } }).error?.code,
  ).toBe('MIN_NOTIONAL')
  // Digits finer than a millionth are cut off, never rounded up to a dollar.
  expect(
    judge({ quote: { notionalMicroUsd: 1_000_000n }, request: { notionalUsd: 0.9999999 } }).error?.code,
  ).toBe('MIN_NOTIONAL')
})

it('counts only the distance beyond an accepted impact', () => {
  const thin = { impactBps: 1_500, guardBps: 1_600 }
  const risks = [risk('HIGH_PRICE_IMPACT')]
  expect(judge({ route: thin, quote: { risks } }).error?.code).toBe('RISK_NOT_ACCEPTED')
  const accepts = { acceptRisks: ['HIGH_PRICE_IMPACT'] }
  expect(judge({ route: thin, quote: { risks }, context: accepts }).error).toBeUndefined()
  expect(judge({ route: { ...thin, guardBps: 2_501 }, quote: { risks }, context: accepts }).error?.code).toBe(
    'ROUTE_VS_REF',
  )
})

it('applies the limit of the token’s tier', () => {
  const strict = token('TIGHT', MEME.address, { tier: 'A', impactCapBps: 300 })
  expect(judge({ quote: { tokenOut: strict }, route: { guardBps: 301 } }).error?.code).toBe('ROUTE_VS_REF')
  expect(judge({ quote: { tokenOut: strict }, route: { guardBps: 300 } }).error).toBeUndefined()
})

it('warns of an unlimited approval without refusing', () => {
  const { checks, error } = judge({ wallet: { allowance: MAX_UINT256 } })
  expect(error).toBeUndefined()
  expect(checks.find(({ code }) => code === 'UNLIMITED_APPROVAL_IN_PLACE')).toMatchObject({
    ok: false,
    severity: 'warn',
  })
  expect(
    judge({ quote: { tokenIn: ETH }, wallet: { allowance: MAX_UINT256 } }).checks.map(({ code }) => code),
  ).not.toContain('UNLIMITED_APPROVAL_IN_PLACE')
})

it('runs for a quote without wallet and terms', () => {
  const paused = { ...STOCK, record: { ...STOCK.record, flags: { ...STOCK.record.flags, paused: true } } }
  const { quote } = quoteOf({ tokenOut: paused })
  const codes = checkPolicy(quote, { acceptRisks: [] }).map(({ code, ok }) => [code, ok])
  expect(codes).toContainEqual(['STOCK_PAUSED', false])
  expect(codes.map(([code]) => code)).not.toContain('GEOFENCE')
  expect(codes.map(([code]) => code)).not.toContain('APPROVAL_MODE')
})

it.each<[NonNullable<PolicyContext['attestsNonUs']>, boolean, RegExp]>([
  [true, true, /owner_attests_non_us/],
  [false, false, /require owner_attests_non_us/],
  ['barred here', false, /not available from your location/],
])('trades stocks by attestation %s: %s', (attestsNonUs, ok, message) => {
  const { checks } = judge({
    quote: { tokenOut: STOCK },
    context: { attestsNonUs },
    wallet: { stocks: stocks({}) },
  })
  expect(checks.find(({ code }) => code === 'GEOFENCE')).toMatchObject({
    ok,
    message: expect.stringMatching(message),
  })
})

it('refuses invalid terms before anything is read', () => {
  const refusal = (approval: PolicyContext['approval']) => {
    try {
      refuseTerms(approval ? { approval } : {})
      return null
    } catch (error) {
      return (error as PitError).code
    }
  }
  expect(refusal(fine)).toBeNull()
  expect(refusal({ ...fine, mode: 'Budget' })).toBe('APPROVAL_MODE')
  expect(refusal({ ...fine, budgetUsd: 0 })).toBe('APPROVAL_BUDGET')
  expect(refusal({ ...fine, budgetUsd: -1 })).toBe('APPROVAL_BUDGET')
  expect(refusal({ ...fine, budgetUsd: TRADE.maxApprovalBudgetUsd })).toBeNull()
  expect(refusal({ ...fine, mode: 'unlimited' })).toBe('UNLIMITED_APPROVAL')
  expect(refusal({ ...fine, mode: 'unlimited', allowUnlimited: true })).toBeNull()
})
