import { describe, expect, it } from 'vitest'
import { CLIENT_ERRORS, CLIENT_VERIFICATION_RULES, type ClientVerificationRule } from './clientCodes.ts'
import { clientCure, TRANSPORT_CURES } from './clientCures.ts'
import { RETRIES } from './row.ts'
import { ERRORS } from './table.ts'

const RULES = Object.keys(CLIENT_VERIFICATION_RULES) as ClientVerificationRule[]
const isSentence = /^[A-Z`].{19,}\.$/s

describe('every client error has a cure', () => {
  it.each([...Object.keys(CLIENT_ERRORS), ...Object.keys(TRANSPORT_CURES), 'HTTP_502'])('%s', (code) => {
    expect(clientCure(code)).toMatch(isSentence)
  })
  it.each(RULES)('VERIFICATION_FAILED by %s', (rule) => {
    expect(clientCure('VERIFICATION_FAILED', rule)).toMatch(isSentence)
  })
  it('has no cure that only says not to retry', () => {
    const cures = [
      ...Object.keys(CLIENT_ERRORS).map((code) => clientCure(code)),
      ...Object.values(ERRORS).map(({ hint }) => hint),
    ]
    expect(cures).not.toContain(RETRIES.no)
    expect(cures.every((cure) => cure !== null && cure.length > 5)).toBe(true)
  })
  it('returns null for an unknown code', () => {
    expect(clientCure('SOMETHING_NEW')).toBeNull()
  })
})
