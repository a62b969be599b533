import { createBinding, isPitError, type RiskCode, SHIELD_POLICIES, SHIELD_POLICY_NAMES } from '@pit/protocol'
import { address, MEME, USDG } from '@pit/trading/test/tradeFixtures'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentLimits } from '../types.ts'
import { outsideOf } from './fits.ts'
import { checkInterval } from './limits.ts'
import { checkTerms, normalTerms, policiesOf, termsFaults } from './riskTerms.ts'

const refused = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    if (isPitError(error)) return [error.code, error.extras['field']]
    throw error
  }
  return 'passed'
}

describe('limits', () => {
  it('of an AI agent’s interval start at five minutes', () => {
    expect(refused(() => checkInterval('partner_llm', 299))).toEqual(['BAD_REQUEST', 'interval_s'])
    expect(refused(() => checkInterval('partner_llm', 300))).toBe('passed')
    expect(refused(() => checkInterval('dca', 10))).toBe('passed')
  })
})

describe('risk terms', () => {
  const terms = (
    accept_risks: string[],
    shield: boolean,
    policies?: (typeof SHIELD_POLICY_NAMES)[number][] | false,
  ) => normalTerms({ acceptRisks: accept_risks, shield, policies: policies || null })

  it.each([
    ['nothing at all', terms([], false), 'passed'],
    ['accepted risks', terms(['HONEYPOT', 'UNSCREENED'], false), 'passed'],
    ['shield with its default', terms(['HONEYPOT'], true), 'passed'],
    ['no policies without shield', terms([], false, []), 'passed'],
    ['policies false without shield', terms([], false, false), 'passed'],
    ['a policy without shield', terms([], false, ['block_new']), 'policies'],
    ['an unknown risk', terms(['MOON'], false), 'accept_risks'],
    ['a risk that the default policy blocks', terms(['AUDIT_FLAGGED'], true), 'accept_risks'],
    ['a risk that a named policy blocks', terms(['UNSCREENED'], true, ['block_new']), 'accept_risks'],
    ['the same with no policies at all', terms(['AUDIT_FLAGGED'], true, []), 'passed'],
  ])('%s: %#', (_, given, expected) => {
    const refusal = refused(() => checkTerms(given))
    expect(refusal).toEqual(expected === 'passed' ? 'passed' : ['BAD_TERMS', expected])
  })

  it('list all contradictions', () => {
    const faults = termsFaults(terms(['MOON', 'HONEYPOT', 'UNSCREENED'], true, ['block_severe', 'block_new']))
    expect(faults.map(({ message }) => message)).toEqual([
      'unknown risk MOON',
      'UNSCREENED cannot be accepted together with policy block_new',
      'HONEYPOT, UNSCREENED cannot be accepted together with policy block_severe',
    ])
  })

  it('are invalid exactly if an accepted risk is blocked', () => {
    const codes = [...new Set(Object.values(SHIELD_POLICIES).flat())]
    fc.assert(
      fc.property(fc.subarray(codes), fc.subarray([...SHIELD_POLICY_NAMES]), (accepted, policies) => {
        const blocked = policies.some((policy) =>
          accepted.some((code) => SHIELD_POLICIES[policy].includes(code as RiskCode)),
        )
        expect(termsFaults(terms(accepted, true, policies)).length > 0).toBe(blocked)
      }),
    )
  })

  it('have one canonical form', () => {
    expect(terms(['UNSCREENED', 'HONEYPOT', 'UNSCREENED'], true, ['block_new', 'block_flagged'])).toEqual({
      acceptRisks: ['HONEYPOT', 'UNSCREENED'],
      shield: true,
      policies: ['block_flagged', 'block_new'],
    })
    expect(policiesOf(terms([], true))).toEqual(['block_flagged'])
    expect(policiesOf(terms([], false))).toEqual([])
  })
})

describe('an agent inside its session', () => {
  const ETH = address('0')
  const session = (over: object = {}) => ({
    binding: createBinding({
      wallet: address('1'),
      executor: address('2'),
      cosigner: address('3'),
      router: address('4'),
      feeRecipient: address('6'),
      tokens: [ETH, USDG.address],
      limits: { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 },
      expires_at: 1_900_000_000,
      risk: { accept_risks: ['UNSCREENED'], shield: true, policies: ['block_flagged', 'block_taxed'] },
      nonce: `0x${'ab'.repeat(32)}`,
      ...over,
    }),
  })
  const token = (at: string, name: string) => ({
    token: name,
    symbol: name,
    address: at as `0x${string}`,
    decimals: 18,
    stock: false,
  })
  const fitting = {
    limits: {
      maxTradeMicroUsd: 25_000_000n,
      maxDayMicroUsd: 100_000_000n,
      maxPositionMicroUsd: 10n ** 12n,
    } satisfies AgentLimits,
    terms: normalTerms({
      acceptRisks: ['UNSCREENED'],
      shield: true,
      policies: ['block_flagged', 'block_taxed', 'block_new'],
    }),
    tokens: [token(ETH, 'ETH'), token(USDG.address, 'USDG')],
  }
  const rules = (over: object = {}, of: object = {}) =>
    outsideOf({ ...fitting, ...over }, session(of)).map(({ rule }) => rule)

  it('fits at every edge', () => expect(rules()).toEqual([]))

  it.each([
    ['tokens', { tokens: [...fitting.tokens, token(MEME.address, MEME.address)] }],
    ['max_trade', { limits: { ...fitting.limits, maxTradeMicroUsd: 25_000_001n } }],
    ['max_day', { limits: { ...fitting.limits, maxDayMicroUsd: 100_000_001n } }],
    ['accept_risks', { terms: { ...fitting.terms, acceptRisks: ['HONEYPOT', 'UNSCREENED'] } }],
    ['policies', { terms: { ...fitting.terms, policies: ['block_flagged'] } }],
    ['shield', { terms: { ...fitting.terms, shield: false, policies: null } }],
  ])('is outside by its %s', (rule, over) => expect(rules(over)).toEqual([rule]))

  it('is outside a session without the shield it requires', () => {
    expect(rules({}, { risk: { accept_risks: ['UNSCREENED'], shield: false, policies: [] } })).toEqual([
      'shield',
    ])
  })
})
