import { routeById } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { type Carrier, tradeRefusal } from './checks.ts'
import { leafRules } from './leaves/rules.ts'
import { ledgerRules } from './ledger/rules.ts'

const DOCUMENTED = [...routeById('live.session.trade').errors, 'SANCTIONED']
const failed = (...rules: string[]): SignerCheck[] =>
  rules.map((rule) => ({ rule, ok: false, message: `${rule} failed` }))
const refusalOf = (checks: SignerCheck[], carrier: Carrier = 'own executor') => tradeRefusal(checks, carrier)
const codeOf = (...rules: string[]): string => refusalOf(failed(...rules)).code

describe('the refusal of a trade', () => {
  it('is the rule’s own code when it is the only one and has one', () => {
    for (const rule of [
      'PRICE',
      'SIGNED_MARK_PRICE',
      'FEE_REQUIRED',
      'FEE_CLASS',
      'SESSION_FEE',
      'FEE_DECLARED',
      'SLIPPAGE',
      'PRICE_UNAVAILABLE',
      'CHAIN_UNAVAILABLE',
    ])
      expect(codeOf(rule)).toBe(rule)
    expect(codeOf('SESSION_TOKENS')).toBe('REFUSED')
    expect(codeOf('SESSION_REVOKED')).toBe('REFUSED')
  })

  it('is REFUSED when several failed, unless waiting may cure them all', () => {
    expect(codeOf('PRICE', 'FEE_REQUIRED')).toBe('REFUSED')
    expect(codeOf('CHAIN_UNAVAILABLE', 'PRICE_UNAVAILABLE')).toBe('CHAIN_UNAVAILABLE')
    expect(codeOf('PRICE_UNAVAILABLE', 'FEE_REQUIRED')).toBe('REFUSED')
  })

  it('is TRADE_REFUSED for a hosted executor, unless the rule has its own code', () => {
    const hosted = (...rules: string[]) => refusalOf(failed(...rules), 'hosted executor')
    expect(hosted('STOCK_ATTESTATION')).toMatchObject({ code: 'TRADE_REFUSED', status: 422 })
    expect(hosted('PRICE', 'FEE_REQUIRED').extras).toEqual({
      signer_checks: failed('PRICE', 'FEE_REQUIRED'),
    })
    expect(hosted('PRICE', 'FEE_REQUIRED').code).toBe('TRADE_REFUSED')
    expect(hosted('PRICE').code).toBe('PRICE')
    expect(hosted('SESSION_TOKENS', 'SIGNER_FROZEN').code).toBe('SIGNER_FROZEN')
    expect(DOCUMENTED).toContain('TRADE_REFUSED')
  })

  it('is SANCTIONED or SIGNER_FROZEN even if other rules failed', () => {
    expect(codeOf('PRICE', 'SIGNER_FROZEN')).toBe('SIGNER_FROZEN')
    expect(codeOf('SANCTIONED', 'PRICE', 'SIGNER_FROZEN')).toBe('SANCTIONED')
    expect(refusalOf(failed('SANCTIONED')).status).toBe(451)
    expect(refusalOf(failed('SIGNER_FROZEN')).status).toBe(503)
  })

  it('lists every failed rule and is one the route documents', () => {
    const checks = failed('PRICE', 'SESSION_TOKENS')
    expect(refusalOf(checks).extras).toEqual({ signer_checks: checks })
    for (const { code } of [...leafRules, ...ledgerRules]) expect(DOCUMENTED).toContain(codeOf(code))
  })

  it('comes from rules of one name each', () => {
    const names = [...leafRules, ...ledgerRules].map(({ code }) => code)
    expect(new Set(names).size).toBe(names.length)
  })
})
