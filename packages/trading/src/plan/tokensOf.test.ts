import { expect, it } from 'vitest'
import { JUNK, NOW_S, OTHER, record, USDG } from '../quote/test/fakeWorld.ts'
import { tokensOf } from './describePlan.ts'

const end = (address: `0x${string}`, core: 'USDG' | null = null) =>
  ({ address, core, record: record(address) }) as Parameters<typeof tokensOf>[0]['tokenIn']
const audited = (token: `0x${string}`, verdict: 'verified' | 'flagged') => ({
  token,
  audit: { verdict, url: `https://audit.example/${token}`, source: 'audit', checked_at: NOW_S },
  findings: [],
})
const fee = { bps: 60 } as Parameters<typeof tokensOf>[0]['fee']
const audits = [audited(JUNK, 'flagged'), audited(OTHER, 'verified')]

it('shows each token’s own verdict and audit risks with shield', () => {
  const quote = { tokenIn: end(JUNK), tokenOut: end(OTHER), fee, audits, request: { shield: true } }
  const [junk, other] = tokensOf(quote)
  expect(junk).toMatchObject({ address: JUNK, shield: true, fee_bps: 60, audit: audits[0]!.audit })
  expect(junk!.risks.map(({ code }) => code)).toEqual(['AUDIT_FLAGGED'])
  expect(other).toMatchObject({ address: OTHER, shield: true, audit: audits[1]!.audit, risks: [] })
})

it('shows no verdict without shield, and no core asset', () => {
  const quote = {
    tokenIn: end(USDG, 'USDG'),
    tokenOut: end(JUNK),
    fee,
    audits: [],
    request: { shield: false },
  }
  const tokens = tokensOf(quote)
  expect(tokens).toMatchObject([{ address: JUNK, shield: false, shield_available: true, risks: [] }])
  expect(tokens[0]).not.toHaveProperty('audit')
})
