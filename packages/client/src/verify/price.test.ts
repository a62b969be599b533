import type { Address, LegPath } from '@pit/chain'
import { DYNAMIC_FEE, NATIVE } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { type OwnPrice, poolPrice } from '../own/ownPrice.ts'
import type { OwnReading } from './ownReading.ts'
import { checkOwn, missingChecks } from './rules.ts'
import type { Terms } from './terms.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
const [TOKEN, USDG, WETH] = [at('1'), at('2'), at('3')]
const E18 = 10n ** 18n
/** Two thousand dollars for an ether, one for a USDG. */
const MARKS = new Map([
  [NATIVE, { priceE18: 2_000n * E18, decimals: 18, source: 'oracle_feed' as const }],
  [USDG, { priceE18: E18, decimals: 6, source: 'fixed' as const }],
])
const ETHER: OwnPrice = { num: 2_000n * E18, den: 10n ** 30n }
const same = (price: OwnPrice) => ({ bid: price, ask: price, atSize: price })
const v4Leg = (fee: number): LegPath => ({
  amountIn: E18 / 10n,
  hops: [
    {
      version: 'v4',
      tokenIn: NATIVE,
      tokenOut: TOKEN,
      key: { currency0: NATIVE, currency1: TOKEN, fee, tickSpacing: 60, hooks: NATIVE },
    },
  ],
})

/** A purchase of 1,000 tokens for a tenth of an ether: 200 dollars. Every field may be changed. */
interface Case {
  request?: Record<string, unknown>
  plan?: Record<string, unknown>
  reading?: Record<string, unknown>
  own?: Partial<OwnReading>
  ends?: [Address, Address]
}
function run({ request = {}, plan = {}, reading = {}, own = {}, ends = [NATIVE, TOKEN] }: Case) {
  const [tokenIn, tokenOut] = ends
  const terms = {
    pins: {
      tokens: new Map([
        [NATIVE, { core: 'ETH' }],
        [USDG, { core: 'USDG' }],
      ]),
      weth: WETH,
    },
    request: { slippage_bps: 100, ...request },
    accepted: (request['accept_risks'] as string[]) ?? [],
    tokenIn,
    tokenOut,
    plan: {
      amount_out_min: `${990n * E18}`,
      amount_out_expected: `${1_000n * E18}`,
      fee_class: tokenOut === USDG && tokenIn === NATIVE ? 'major' : 'other',
      fee_bps: tokenOut === USDG && tokenIn === NATIVE ? 25 : 50,
      fee_side: tokenOut === TOKEN ? 'input' : tokenIn === NATIVE ? 'input' : 'output',
      shield: false,
      risks: [],
      ...plan,
    },
    reading: {
      amountIn: E18 / 10n,
      amountOutMin: 990n * E18,
      legs: [v4Leg(3_000)],
      curve: null,
      fee: null,
      permit: null,
      approvals: [],
      ...reading,
    },
  } as unknown as Terms
  const market = { paid: same(ETHER), bestOut: 1_000n * E18 }
  const reads = {
    marks: MARKS,
    market,
    route: { out: 1_000n * E18, impactBps: 0 },
    trial: { ok: true, changes: [1_000n * E18], gasUsed: [], later: [] },
    sale: { ok: true, lostBps: 0, transfers: true },
    dynamicFeesPips: [],
    standsOnBeacon: () => false,
    ...own,
  } as unknown as OwnReading
  return checkOwn(terms, reads)
}
const rulesOf = (given: Case): string[] => run(given).map(({ rule }) => rule)
const brokenBy = (given: Case): string | undefined => {
  try {
    run(given)
    return undefined
  } catch (error) {
    return (error as { rule?: string }).rule
  }
}
const bestOut = (tokens: bigint, paid: unknown = same(ETHER)) =>
  ({ market: { paid, bestOut: tokens * E18 } }) as Partial<OwnReading>
/** A pool price of the token: a fifth of a dollar an atom times 10^18. */
const CENTS_20 = poolPrice(200_000n, E18)

describe('the price of a token without a mark', () => {
  it('accepts a route that is as good as the best pool the client found', () => {
    expect(rulesOf({})).toEqual(['FEE_CLASS', 'FEE_BPS', 'PRICE', 'QUOTE_OWN', 'IMPACT_OWN'])
    expect(brokenBy({ own: bestOut(1_100n) })).toBeUndefined()
  })
  it('refuses a route that gives over a tenth less than another pool', () => {
    expect(brokenBy({ own: bestOut(1_120n) })).toBe('PRICE')
    expect(brokenBy({ own: bestOut(12_000n) })).toBe('PRICE')
  })
  it('refuses a route that quotes nothing', () => {
    expect(brokenBy({ own: { route: null } })).toBe('IMPACT_OWN')
  })
  it('refuses an end that the client cannot price, and does not list PRICE if NO_REFERENCE is accepted', () => {
    const own = { market: { paid: same(ETHER), bestOut: null } }
    expect(brokenBy({ own })).toBe('PRICE')
    const checks = run({ own, request: { accept_risks: ['NO_REFERENCE'] } })
    expect(checks.map(({ rule }) => rule)).not.toContain('PRICE')
    expect(missingChecks(checks)).toEqual(['PRICE'])
  })
  it('allows a buy tax only to a caller who accepted it', () => {
    const taxed = {
      plan: { amount_out_min: `${700n * E18}`, amount_out_expected: `${707n * E18}` },
      own: { trial: { ok: true, changes: [707n * E18], gasUsed: [], later: [] } },
    } as unknown as Case
    expect(brokenBy(taxed)).toBe('PRICE')
    expect(brokenBy({ ...taxed, request: { accept_risks: ['BUY_TAX'] } })).toBeUndefined()
  })
  it('asks for SELL_TAX when a sale brings less than its own pools pay', () => {
    const sale = {
      ends: [TOKEN, USDG],
      plan: { amount_out_min: '148000000', amount_out_expected: '149000000' },
      reading: { amountIn: 1_000n * E18, amountOutMin: 148_000_000n },
      own: {
        market: { paid: same(CENTS_20), bestOut: 200_000_000n },
        route: { out: 200_000_000n, impactBps: 0 },
        trial: { ok: true, changes: [149_000_000n], gasUsed: [], later: [] },
        sale: null,
      },
    } as unknown as Case
    expect(brokenBy(sale)).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ ...sale, request: { accept_risks: ['SELL_TAX'] } })).toBeUndefined()
  })
})

describe('the size in dollars', () => {
  const sized = (notional_usd: number, own: Partial<OwnReading> = {}): Case => ({
    request: { notional_usd },
    own,
  })
  it('holds the input to 3% of its mark, both ways', () => {
    expect(brokenBy(sized(200))).toBeUndefined()
    expect(brokenBy(sized(195))).toBeUndefined()
    expect(brokenBy(sized(190))).toBe('PRICE')
    expect(brokenBy(sized(210))).toBe('PRICE')
    // Two dollars traded where 200 were requested, and the reverse.
    expect(brokenBy(sized(20_000))).toBe('PRICE')
    expect(brokenBy(sized(2))).toBe('PRICE')
  })
  it('refuses an input without a price, even if NO_REFERENCE is accepted', () => {
    const own = { market: { paid: null, bestOut: null } }
    expect(
      brokenBy({ ...sized(200, own), request: { notional_usd: 200, accept_risks: ['NO_REFERENCE'] } }),
    ).toBe('PRICE')
  })
  it('takes the dearer pool price as the upper bound and the cheaper one as the lower', () => {
    const sale = (bid: bigint, ask: bigint, notional_usd: number): Case =>
      ({
        ends: [TOKEN, USDG],
        request: { notional_usd },
        plan: { amount_out_min: '198000000', amount_out_expected: '200000000' },
        reading: { amountIn: 1_000n * E18, amountOutMin: 198_000_000n },
        own: {
          market: {
            paid: { bid: poolPrice(bid, E18), ask: poolPrice(ask, E18), atSize: CENTS_20 },
            bestOut: 200_000_000n,
          },
          route: { out: 200_000_000n, impactBps: 0 },
          trial: { ok: true, changes: [200_000_000n], gasUsed: [], later: [] },
          sale: null,
        },
      }) as unknown as Case
    expect(brokenBy(sale(199_000n, 201_000n, 200))).toBeUndefined()
    expect(brokenBy(sale(199_000n, 201_000n, 215))).toBeUndefined()
    expect(brokenBy(sale(199_000n, 201_000n, 225))).toBe('PRICE')
    // A pool that sells it for a tenth of its price does not make it cheap.
    expect(brokenBy(sale(199_000n, 20_000n, 20))).toBe('PRICE')
    // A pool that pays ten times its price does not make two dollars twenty.
    expect(brokenBy(sale(2_000_000n, 201_000n, 2_000))).toBe('PRICE')
  })
})

describe('a pool on the route', () => {
  it('charges at most what the service itself allows', () => {
    expect(brokenBy({ reading: { legs: [v4Leg(100_000)] } })).toBeUndefined()
    expect(brokenBy({ reading: { legs: [v4Leg(900_000)] } })).toBe('PRICE')
  })
  it('is judged by the fee its hook has set, if that is read', () => {
    const reading = { legs: [v4Leg(DYNAMIC_FEE)] }
    expect(brokenBy({ reading, own: { dynamicFeesPips: [2_500] } })).toBeUndefined()
    expect(brokenBy({ reading, own: { dynamicFeesPips: [990_000] } })).toBe('PRICE')
  })
})

describe('an approval', () => {
  const approving = (
    amount: bigint,
    request: Record<string, unknown>,
    paid: unknown = same(CENTS_20),
  ): Case =>
    ({
      ends: [TOKEN, USDG],
      request,
      plan: { amount_out_min: '198000000', amount_out_expected: '200000000' },
      reading: {
        amountIn: 1_000n * E18,
        amountOutMin: 198_000_000n,
        approvals: [{ token: TOKEN, spender: at('4'), amount, expiresS: null }],
      },
      own: {
        market: { paid, bestOut: paid === null ? null : 200_000_000n },
        route: { out: 200_000_000n, impactBps: 0 },
        trial: { ok: true, changes: [200_000_000n], gasUsed: [], later: [] },
        sale: null,
      },
    }) as unknown as Case
  const HUGE = (1n << 160n) - 2n
  it('is bounded by the budget at the client’s own price', () => {
    const budget = { approval_budget_usd: 400 }
    expect(brokenBy(approving(2_000n * E18, budget))).toBeUndefined()
    expect(brokenBy(approving(2_300n * E18, budget))).toBe('RECIPIENT')
    expect(brokenBy(approving(HUGE, budget))).toBe('RECIPIENT')
  })
  it('covers the trade alone if the client has no price', () => {
    const request = { accept_risks: ['NO_REFERENCE'] }
    expect(brokenBy(approving(1_000n * E18, request, null))).toBeUndefined()
    expect(brokenBy(approving(1_001n * E18, request, null))).toBe('RECIPIENT')
    expect(brokenBy(approving(HUGE, request, null))).toBe('RECIPIENT')
  })
  it('is a budget, too, if unlimited ones are not allowed', () => {
    expect(brokenBy(approving(HUGE, { approval_mode: 'unlimited' }))).toBe('RECIPIENT')
  })
})

describe('the sale of a bought token outside the pins', () => {
  it('must work, unless HONEYPOT is accepted', () => {
    const own = { sale: { ok: false as const, why: 'reverted' } }
    expect(brokenBy({ own })).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ own, request: { accept_risks: ['SELL_TAX'] } })).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ own, request: { accept_risks: ['HONEYPOT'] } })).toBeUndefined()
  })
  it('loses at most a tenth, unless SELL_TAX is accepted', () => {
    const lost = (lostBps: number) => ({ sale: { ok: true as const, lostBps, transfers: true } })
    expect(brokenBy({ own: lost(1_000) })).toBeUndefined()
    expect(brokenBy({ own: lost(1_001) })).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ own: lost(2_500), request: { accept_risks: ['SELL_TAX'] } })).toBeUndefined()
  })
  it('is followed by a transfer to another wallet, unless TRANSFER_BLOCKED is accepted', () => {
    const own = { sale: { ok: true as const, lostBps: 0, transfers: false } }
    expect(brokenBy({ own })).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ own, request: { accept_risks: ['TRANSFER_BLOCKED'] } })).toBeUndefined()
  })
  it('counts as failed if the node cannot simulate it', () => {
    const own = { trial: { ok: false as const, why: 'method not found', unsupported: true }, sale: null }
    expect(brokenBy({ own })).toBe('RISK_NOT_ACCEPTED')
    expect(brokenBy({ own, request: { accept_risks: ['HONEYPOT'] } })).toBeUndefined()
  })
})

describe('shield', () => {
  const shielded = { shield: true, audit: null, fee_bps: 60 }
  it('is planned exactly if it was requested', () => {
    expect(brokenBy({ request: { shield: true }, plan: shielded })).toBeUndefined()
    expect(brokenBy({ request: { shield: true }, plan: { ...shielded, shield: false } })).toBe('FEE_CLASS')
    expect(brokenBy({ request: { shield: true }, plan: { shield: true, fee_bps: 60 } })).toBe('FEE_CLASS')
    expect(brokenBy({ request: { shield: true }, plan: { shield: false, fee_bps: 50 } })).toBe('FEE_BPS')
    expect(brokenBy({ plan: { shield: true, audit: null } })).toBe('FEE_CLASS')
  })
  it('shows on two core tokens too, where the rate of a lower tier hides its absence', () => {
    const major = {
      ends: [NATIVE, USDG] as [Address, Address],
      request: { shield: true },
      plan: { amount_out_min: '198000000', amount_out_expected: '199500000', fee_bps: 25, shield: false },
      reading: { amountOutMin: 198_000_000n },
      own: {
        route: null,
        sale: null,
        trial: { ok: true as const, changes: [199_500_000n], gasUsed: [], later: [] },
      },
    }
    expect(brokenBy(major)).toBe('FEE_CLASS')
    expect(brokenBy({ ...major, plan: { ...major.plan, shield: true, audit: null } })).toBeUndefined()
  })
})
