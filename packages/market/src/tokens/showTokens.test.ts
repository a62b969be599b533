import { fail, NATIVE_TOKEN } from '@pit/protocol'
import { expect, it } from 'vitest'
import type { StoredRecord } from './describeToken.ts'
import type { AuditReader } from './readAudit.ts'
import { type ShowDeps, showToken, showTokens } from './showTokens.ts'

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
const record = (at: string) =>
  ({ address: at, symbol: at.slice(-2), risks: [], screen_status: 'SCREENED' }) as unknown as StoredRecord

/** A page of tokens, some without a readable verdict. */
function open(page: readonly string[], unread: readonly string[]) {
  const reads: string[] = []
  const audit: AuditReader = {
    async read(token) {
      reads.push(token)
      if (unread.includes(token)) fail('AUDIT_UNAVAILABLE')
      const [verdict, source] = token === NATIVE_TOKEN ? ['verified', 'native'] : ['flagged', 'audit']
      return { audit: { verdict: verdict as never, url: null, source: source!, checked_at: 1 }, findings: [] }
    },
    check: async () => {},
  }
  const deps = {
    audit,
    db: { query: async () => [] },
    profile: { core_tokens: [] },
    majorBps: () => 25,
    searchTokens: async () => page.map(record),
    registry: { get: async (token: string) => record(token) },
  } as unknown as ShowDeps
  return { deps, asked: reads }
}
const PAGE = { q: '', limit: 100, wallet: null, shielded: true }

it('shows the readable verdicts and counts the others', async () => {
  const { deps } = open([address(1), address(2), address(3)], [address(2)])
  const { tokens, warnings } = await showTokens(deps, PAGE)
  expect(tokens.map(({ audit, shield, fee_bps }) => [audit?.verdict, shield, fee_bps])).toEqual([
    ['flagged', true, 60],
    [undefined, true, 60],
    ['flagged', true, 60],
  ])
  expect(tokens[1]!.audit).toBeNull()
  expect(tokens.map(({ risks }) => risks.map(({ code }) => code))).toEqual([
    ['AUDIT_FLAGGED'],
    [],
    ['AUDIT_FLAGGED'],
  ])
  expect(warnings).toEqual([expect.stringMatching(/^1 of 3 audit verdicts could not be read/)])
})

it('refuses if none can be read, as for one token', async () => {
  const { deps } = open([address(1), NATIVE_TOKEN], [address(1)])
  const refused = expect.objectContaining({ code: 'AUDIT_UNAVAILABLE' })
  await expect(showTokens(deps, PAGE)).rejects.toEqual(refused)
  const request = { token: address(1), wallet: null, shielded: true, admit: async () => {} }
  await expect(showToken(deps, request)).rejects.toEqual(refused)
})

it('shows the native coin’s own verdict, like any other', async () => {
  const { deps } = open([NATIVE_TOKEN, address(1)], [])
  const request = {
    token: NATIVE_TOKEN as `0x${string}`,
    wallet: null,
    shielded: true,
    admit: async () => {},
  }
  const native = { verdict: 'verified', url: null, source: 'native', checked_at: 1 }
  expect(await showToken(deps, request)).toMatchObject({ shield: true, audit: native, risks: [] })
  const { tokens, warnings } = await showTokens(deps, PAGE)
  expect([tokens[0]!.audit, tokens[1]!.audit?.verdict, warnings]).toEqual([native, 'flagged', []])
})

it.each([
  [0, '0 other tokens have'],
  [1, '1 other token has'],
  [2, '2 other tokens have'],
  [201, 'more than 200 other tokens have'],
])('counts other tokens with a core symbol: %d', async (count, says) => {
  const { deps } = open([], [])
  const core = { symbol: 'USDG', address: address(0xa0) }
  Object.assign(deps, {
    db: { query: async () => [{ count }] },
    profile: { core_tokens: [core] },
    registry: { coreBySymbol: () => ({ ...record(core.address), ...core }) },
  })
  const { warnings } = await showTokens(deps, { ...PAGE, q: 'usdg', shielded: false })
  expect(warnings).toEqual([`USDG is the core asset ${core.address}; ${says} the same symbol.`])
})
