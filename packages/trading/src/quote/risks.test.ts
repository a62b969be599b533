import { describe, expect, it } from 'vitest'
import type { TradeToken } from '../types.ts'
import { risksOfTrade, worstAudit } from './risks.ts'
import { JUNK, NOW_S, OTHER, record, reference, risk, USDG, usd } from './test/fakeWorld.ts'

const token = (over: Partial<TradeToken> = {}): TradeToken => ({
  address: JUNK,
  symbol: 'JUNK',
  decimals: 18,
  core: null,
  stock: false,
  record: record(JUNK, { reference: reference(1) }),
  mark: undefined,
  ...over,
})
const usdg = token({ address: USDG, core: 'USDG', record: record(USDG), mark: usd(1) })
const audited = (address: `0x${string}`, verdict: string) => ({
  token: address,
  audit: { verdict: verdict as 'verified', url: null, source: 'audit', checked_at: NOW_S },
  findings: [],
})
const codes = (over: Partial<Parameters<typeof risksOfTrade>[0]> = {}) =>
  risksOfTrade({ tokenIn: usdg, tokenOut: token(), best: undefined, audits: [], ...over }).map(
    ({ code, token: about }) => (about ? `${code} ${about}` : code),
  )

describe('what a trade discloses', () => {
  it('covers both tokens, severe risks first, each code once per token', () => {
    const tokenIn = token({
      record: record(JUNK, {
        reference: reference(1),
        risks: [risk('NEW_TOKEN', 'info'), risk('HONEYPOT', 'severe'), risk('NEW_TOKEN', 'info')],
      }),
    })
    const tokenOut = token({
      address: OTHER,
      record: record(OTHER, {
        reference: reference(1),
        risks: [risk('PROXY', 'info'), risk('HONEYPOT', 'severe')],
      }),
    })
    expect(codes({ tokenIn, tokenOut })).toEqual([
      `HONEYPOT ${JUNK}`,
      `HONEYPOT ${OTHER}`,
      `NEW_TOKEN ${JUNK}`,
      `PROXY ${OTHER}`,
    ])
  })

  it.each([
    [299.99, []],
    [300, ['PRICE_IMPACT']],
    [999.99, ['PRICE_IMPACT']],
    [1_000, ['HIGH_PRICE_IMPACT']],
    [9_999, ['HIGH_PRICE_IMPACT']],
    [null, []],
  ])('by an impact of %s bps: %j', (impactBps, answer) => {
    expect(codes({ best: { impactBps, risks: [] } })).toEqual(answer)
  })

  it('reports the impact in percent', () => {
    const [shown] = risksOfTrade({
      tokenIn: usdg,
      tokenOut: token(),
      best: { impactBps: 1_234.56, risks: [] },
      audits: [],
    })
    expect(shown).toEqual({
      code: 'HIGH_PRICE_IMPACT',
      severity: 'severe',
      message: 'This trade moves the price by 12.35%.',
    })
  })

  it('includes the best route’s risks besides the tokens’', () => {
    const hooked = token({
      record: record(JUNK, { reference: reference(1), risks: [risk('UNKNOWN_HOOK', 'severe')] }),
    })
    const best = { impactBps: 0, risks: [risk('UNKNOWN_HOOK', 'severe')] }
    expect(codes({ tokenOut: hooked, best })).toEqual([`UNKNOWN_HOOK ${JUNK}`, 'UNKNOWN_HOOK'])
  })

  it('names a token by address without a reference price, and never a core asset', () => {
    expect(codes({ tokenOut: token({ record: record(JUNK) }) })).toEqual([`NO_REFERENCE ${JUNK}`])
    const listed = { ...record(JUNK), risks: [risk('NO_REFERENCE', 'severe')] }
    expect(codes({ tokenOut: token({ record: listed }) })).toEqual([`NO_REFERENCE ${JUNK}`])
    expect(codes({ tokenIn: { ...usdg, mark: undefined } })).toEqual([])
  })

  it('reports a stale mark once', () => {
    const stale = { ...usdg, mark: usd(1, { stale: true }) }
    expect(codes({ tokenIn: stale })).toEqual([`STALE_MARK ${USDG}`])
    const withRisk = { ...stale, record: record(USDG, { risks: [risk('STALE_MARK', 'info')] }) }
    expect(codes({ tokenIn: withRisk })).toEqual([`STALE_MARK ${USDG}`])
  })

  it('includes the audit’s findings, and accepts only "verified" as verified', () => {
    const audits = [
      audited(USDG, 'verified'),
      audited(JUNK, 'flagged'),
      audited(OTHER, 'unverified'),
      audited(USDG, 'fine'),
    ]
    expect(codes({ audits })).toEqual([
      `AUDIT_FLAGGED ${JUNK}`,
      `AUDIT_UNVERIFIED ${OTHER}`,
      `AUDIT_UNVERIFIED ${USDG}`,
    ])
  })
})

it('shows the worst verdict, of two equal ones that of the bought token', () => {
  const [a, b, c] = [audited(USDG, 'verified'), audited(JUNK, 'flagged'), audited(OTHER, 'unverified')]
  expect(worstAudit([])).toBeNull()
  expect(worstAudit([a!, c!])).toBe(c!.audit)
  expect(worstAudit([b!, c!])).toBe(b!.audit)
  const again = audited(OTHER, 'verified')
  expect(worstAudit([a!, again])).toBe(again.audit)
})
