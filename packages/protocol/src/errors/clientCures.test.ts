import { describe, expect, it } from 'vitest'
import { CLIENT_ERRORS, CLIENT_VERIFICATION_RULES, type ClientVerificationRule } from './clientCodes.ts'
import { clientCure, TRANSPORT_CURES } from './clientCures.ts'
import { RETRIES } from './row.ts'
import { ERRORS } from './table.ts'

const RULES = Object.keys(CLIENT_VERIFICATION_RULES) as ClientVerificationRule[]
const isSentence = /^[A-Z`].{19,}\.$/s

describe('every refusal has a cure', () => {
  it.each([...Object.keys(CLIENT_ERRORS), ...Object.keys(TRANSPORT_CURES), 'HTTP_502'])('%s', (code) => {
    expect(clientCure(code)).toMatch(isSentence)
  })
  it.each(RULES)('VERIFICATION_FAILED by %s', (rule) => {
    expect(clientCure('VERIFICATION_FAILED', rule)).toMatch(isSentence)
  })
  it('no cure only says that retrying does not help', () => {
    const cures = [
      ...Object.keys(CLIENT_ERRORS).map((code) => clientCure(code)),
      ...Object.values(ERRORS).map(({ hint }) => hint),
    ]
    expect(cures).not.toContain(RETRIES.no)
    expect(cures.every((cure) => cure !== null && cure.length > 5)).toBe(true)
  })
  it('does not invent one for a code of another implementation', () => {
    expect(clientCure('SOMETHING_NEW')).toBeNull()
  })
})
