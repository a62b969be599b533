import { describe, expect, expectTypeOf, it } from 'vitest'
import { FAST_RULES } from './fastRules.ts'
import { errorRow, fail, isPitError, refusal, toEnvelope } from './pitError.ts'
import { EXTRAS } from './row.ts'
import { ERRORS, type ErrorCode, type RefusalCode } from './table.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]

describe('the error table', () => {
  it('has every code of the contract, and two of ours for orders', () => {
    expect(CODES).toHaveLength(192)
  })

  it.each(CODES)('%s is complete', (code) => {
    const row = errorRow(code)
    expect(code).toMatch(/^[A-Z][A-Z0-9_]*$/)
    expect(row.message).toMatch(/^[^\n]{5,160}\.$/)
    expect(row.hint).toMatch(/^[^\n]{5,160}\.$/)
    for (const status of row.statuses)
      expect([400, 401, 403, 404, 405, 409, 411, 413, 421, 422, 429, 451, 502, 503]).toContain(status)
    for (const extra of [...row.extras, ...(row.fastExtras ?? [])]) expect(EXTRAS).toHaveProperty([extra])
    if (row.statuses[0] === 429 || row.statuses[0] === 503) expect(row.retryAfterS).toBeGreaterThan(0)
    const usualDelayS = /usually (\d+) s/.exec(row.hint)?.[1]
    if (usualDelayS !== undefined) expect(Number(usualDelayS)).toBe(row.retryAfterS)
  })

  it('gives a reason for each code that this server never returns', () => {
    const unused = CODES.filter((code) => errorRow(code).unusedBecause !== undefined)
    expect(unused).toEqual(['WALLET_NOT_BOUND', 'UNKNOWN_TOKEN', 'MAX_FEE', 'FEE_MISMATCH'])
    for (const code of unused) expect(errorRow(code).unusedBecause).toMatch(/^[A-Z].{20,220}\.$/)
  })

  it('does not let checks without a status be thrown', () => {
    expectTypeOf<Exclude<ErrorCode, RefusalCode>>().toEqualTypeOf<
      'TOKEN_TIER' | 'UNLIMITED_APPROVAL_IN_PLACE'
    >()
    expect(CODES.filter((code) => errorRow(code).statuses.length === 0)).toEqual([
      'TOKEN_TIER',
      'UNLIMITED_APPROVAL_IN_PLACE',
    ])
  })

  it('has failures among the extras of every fast rule', () => {
    for (const code of FAST_RULES) {
      const row = errorRow(code)
      expect([...row.extras, ...(row.fastExtras ?? [])]).toContain('failures')
    }
  })
})

describe('an error response', () => {
  it('has its row’s status and message', () => {
    const thrown = caught(() => fail('NOT_FOUND'))
    expect(isPitError(thrown)).toBe(true)
    expect(thrown).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      statusGiven: false,
      message: ERRORS.NOT_FOUND.message,
    })
  })

  it('has its extras after code and message', () => {
    const policy = { names: [], checks: [] }
    const error = refusal('RISK_NOT_ACCEPTED', { message: 'No.', unaccepted: ['HONEYPOT'], policy })
    const { retry, hint } = errorRow('RISK_NOT_ACCEPTED')
    expect(toEnvelope(error)).toEqual({
      error: { code: 'RISK_NOT_ACCEPTED', message: 'No.', unaccepted: ['HONEYPOT'], policy, retry, hint },
    })
    expect(Object.keys(toEnvelope(error).error)).toEqual([
      'code',
      'message',
      'unaccepted',
      'policy',
      'retry',
      'hint',
    ])
  })

  it.each(CODES)('%s has the retry and hint of its row', (code) => {
    if (errorRow(code).statuses.length === 0) return
    expect(toEnvelope(refusal(code as RefusalCode)).error).toMatchObject({
      retry: errorRow(code).retry,
      hint: errorRow(code).hint,
    })
  })

  it('rounds Retry-After up to whole seconds, from the thrower or from the row', () => {
    expect(toEnvelope(refusal('RATE_LIMITED', { retryAfterS: 0.2 })).error.retry_after_s).toBe(1)
    expect(toEnvelope(refusal('RATE_LIMITED', { retryAfterS: 10.01 })).error.retry_after_s).toBe(11)
    expect(toEnvelope(refusal('AUDIT_UNAVAILABLE')).error.retry_after_s).toBe(15)
    expect(toEnvelope(refusal('FORBIDDEN')).error).not.toHaveProperty('retry_after_s')
  })
})

function caught(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
