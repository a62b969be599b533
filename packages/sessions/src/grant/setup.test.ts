import { NATIVE } from '@pit/chain'
import { atomsDown, COSIGNER, createBinding, markPrice, worthDown } from '@pit/protocol'
import { MEME, NOW_S, PERMIT2, RECIPIENT, ROUTER, USDG } from '@pit/trading/test/tradeFixtures'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CURVE, WHO } from '../../test/sessionWorld.ts'
import type { SessionAddresses } from '../addresses.ts'
import { exposureOf } from './exposure.ts'
import type { GrantToken } from './findTokens.ts'
import { approvedAtoms, budgetsOf, setupDrafts, type TokenBudget } from './setup.ts'

const price = fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n })
const micro = fc.integer({ min: 1, max: 100_000_000_000 })

const addresses = { permit2: PERMIT2, router: ROUTER } as SessionAddresses
const grantToken = (over: Partial<GrantToken>): GrantToken => ({
  address: USDG.address,
  symbol: 'USDG',
  decimals: 6,
  isCore: true,
  hasFeed: true,
  priceE18: 10n ** 18n,
  needsMark: false,
  risks: [],
  curve: null,
  hasPools: true,
  ...over,
})
const none = { permit2: 0n, permit: { amount: 0n, expirationS: 0 }, curve: 0n }
const budgetOf = (microUsd: bigint, over: Partial<GrantToken>) =>
  budgetsOf([grantToken(over)], [none], microUsd)[0]!.budget

describe('caps', () => {
  it('in wei never exceed the dollars, and are close enough for the co-signer', () => {
    fc.assert(
      fc.property(micro, price, (microUsd, priceE18) => {
        const wei = atomsDown(BigInt(microUsd), markPrice(priceE18, 18))
        // As the co-signer reads it back.
        const back = (wei * priceE18) / 10n ** 30n
        expect(back).toBeLessThanOrEqual(BigInt(microUsd))
        expect((wei + 1n) * priceE18).toBeGreaterThan(BigInt(microUsd) * 10n ** 30n)
        const off = BigInt(microUsd) - back
        expect(off * 10_000n).toBeLessThanOrEqual(
          BigInt(microUsd) * BigInt(COSIGNER.capPriceBandBps) + 10_000n,
        )
      }),
    )
  })
  it('of tokens never exceed the dollars or the Permit2 maximum', () => {
    fc.assert(
      fc.property(micro, price, fc.integer({ min: 0, max: 36 }), (microUsd, priceE18, decimals) => {
        const atoms = budgetOf(BigInt(microUsd), { priceE18, decimals })
        expect(worthDown(atoms, markPrice(priceE18, decimals))).toBeLessThanOrEqual(BigInt(microUsd))
        expect(atoms).toBeLessThan(1n << 160n)
      }),
    )
    expect(budgetOf(10n ** 12n, { priceE18: 1n, decimals: 36 })).toBe((1n << 160n) - 2n)
  })
})

const END = NOW_S + 1_000
const stepsOf = (budget: TokenBudget) =>
  setupDrafts(addresses, [budget], END).map(({ decoded }) => {
    const { spender, atoms } = decoded() as { spender: string; atoms: string }
    return `${spender} ${atoms}`
  })

describe('the setup', () => {
  const token = grantToken({})
  const budget = 60_000_000n

  it('approves only what is missing', () => {
    expect(stepsOf({ token, budget, before: none })).toEqual([`${PERMIT2} 60000000`, `${ROUTER} 60000000`])
    const enough = { permit2: budget, permit: { amount: budget, expirationS: END + 120 }, curve: 0n }
    expect(stepsOf({ token, budget, before: enough })).toEqual([])
    const short = { ...enough, permit: { amount: budget, expirationS: END + 119 } }
    expect(stepsOf({ token, budget, before: short })).toEqual([`${ROUTER} 60000000`])
    expect(stepsOf({ token, budget: 0n, before: none })).toEqual([])
  })

  it('resets an old approval of a token by address first, and approves a curve directly', () => {
    const meme = grantToken({
      address: MEME.address,
      symbol: 'MEME',
      isCore: false,
      curve: CURVE.id,
      hasPools: false,
    })
    expect(stepsOf({ token: meme, budget, before: { ...none, curve: 5n } })).toEqual([
      `${CURVE.id} 0`,
      `${CURVE.id} 60000000`,
    ])
  })

  it('skips ETH', () => {
    const eth = grantToken({ address: NATIVE, symbol: 'ETH' })
    expect(budgetsOf([eth, token], [none, none], budget).map((one) => one.token.symbol)).toEqual(['USDG'])
  })

  it('reports remaining approvals, including earlier ones', () => {
    expect(approvedAtoms({ token, budget, before: none })).toBe(budget)
    const before = { permit2: 10n ** 9n, permit: { amount: 10n ** 9n, expirationS: END }, curve: 0n }
    expect(approvedAtoms({ token, budget, before })).toBe(10n ** 9n)
    const endless = {
      permit2: (1n << 256n) - 1n,
      permit: { amount: (1n << 160n) - 1n, expirationS: END },
      curve: 0n,
    }
    expect(approvedAtoms({ token, budget, before: endless })).toBe('unlimited')
    expect(approvedAtoms({ token, budget, before: { ...endless, permit: none.permit } })).toBe(budget)
  })
})

describe('the exposure', () => {
  const binding = createBinding({
    wallet: WHO.owner,
    executor: WHO.executor,
    cosigner: WHO.cosigner,
    router: ROUTER,
    feeRecipient: RECIPIENT,
    tokens: [NATIVE, USDG.address],
    limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
    expires_at: NOW_S + 2 * 86_400,
    risk: { accept_risks: [], shield: false, policies: [] },
    nonce: `0x${'11'.repeat(32)}`,
  })
  const core = { symbol: 'ETH', isCore: true, hasFeed: true, needsMark: false }
  const request = { binding, nowS: NOW_S, hasCurves: false, budgets: [], tokens: [core] }
  const eth = { tradeWei: 10n, dayWei: 40n, windowStartS: NOW_S - 60 }

  it('counts fixed windows, or trades if those are fewer', () => {
    // Two days starting a minute into a window: the third window starts before the end.
    expect(exposureOf({ ...request, eth })).toMatchObject({
      on_chain: { eth: { windows: 3, at_most_wei: '120' }, tokens: [] },
      by_cosigner: { traded_at_most_usd: 200 },
    })
    const few = { ...binding, limits: { ...binding.limits, max_trades: 3 } }
    expect(exposureOf({ ...request, binding: few, eth })).toMatchObject({
      on_chain: { eth: { at_most_wei: '30' } },
      by_cosigner: { traded_at_most_usd: 75 },
    })
  })
  it('includes the curve root and its fees', () => {
    expect(exposureOf({ ...request, eth, hasCurves: true })).toMatchObject({
      on_chain: { eth: { roots: 2, curve_fees_wei: '3', at_most_wei: '243' } },
    })
    expect(exposureOf({ ...request, eth: null })).toMatchObject({ on_chain: { eth: null } })
  })
  it.each([
    ['feeds alone', [core], 300, 25, 6.5],
    ['a TWAP of a pool', [core, { ...core, hasFeed: false }], 500, 25, 10.5],
    ['a non-core stock', [core, { ...core, isCore: false }], 500, 50, 11],
    [
      'a price signed by the owner',
      [core, { symbol: 'MEME', isCore: false, hasFeed: false, needsMark: true }],
      2_000,
      50,
      41,
    ],
  ])('uses the least reliable price: %s', (_, tokens, shortfall_bps, fee_bps, lost_at_most_usd) => {
    const { by_cosigner, in_words } = exposureOf({ ...request, eth, tokens }) as {
      by_cosigner: object
      in_words: string[]
    }
    expect(by_cosigner).toMatchObject({ traded_at_most_usd: 200, shortfall_bps, fee_bps, lost_at_most_usd })
    expect(in_words[0]).toContain(`at most ${shortfall_bps} bps`)
    expect(in_words[0]).toContain(`${lost_at_most_usd} USD in total`)
    expect(in_words[0]?.includes('the price of MEME that you sign')).toBe(shortfall_bps === 2_000)
  })
  it('is described in plain words', () => {
    const budgets = [{ token: grantToken({}), budget: 60_000_000n, before: none }]
    const { in_words } = exposureOf({ ...request, eth, budgets }) as { in_words: string[] }
    expect(in_words.join('\n')).toContain('60000000 atoms of USDG')
  })
})
