import { errorRow, routeById } from '@pit/protocol'
import { expect, it } from 'vitest'
import { judge } from './judge.ts'

const HEADERS = { 'x-request-id': 'r', 'cache-control': 'no-store' }
const judgeMe = (status: number, answer: object, more: Record<string, string> = {}) => {
  const body = JSON.stringify(answer)
  const headers = new Map(Object.entries({ ...HEADERS, 'content-length': String(body.length), ...more }))
  const request = {
    route: routeById('auth.me'),
    sound: true,
    halfClose: false,
    bytes: Buffer.from('GET /api/v1/auth/me HTTP/1.1\r\n\r\n'),
  }
  return judge(request, { status, headers, body }, 'pit_w_secret')
}
const ME = {
  wallet: '0x00000000000000000000000000000000000000aa',
  account: { id: 1, name: 'one' },
  key_id: 1,
  expires_at: 1_800_000_000,
  partner_agent: null,
}

it('passes an answer with the route’s schema', () => expect(judgeMe(200, ME)).toBeNull())

it.each([
  ['a missing field', { ...ME, key_id: undefined }],
  ['a wrong type', { ...ME, expires_at: 'soon' }],
  ['a wrong part', { ...ME, account: { id: 1 } }],
  ['another shape', { ok: true }],
])('fails %s', (_what, answer) => expect(judgeMe(200, answer)).toContain('not the answer of auth.me'))

it('fails an undocumented refusal, and one with extra fields', () => {
  const revoked = { code: 'SESSION_REVOKED', message: 'm' }
  expect(judgeMe(409, { error: revoked })).toBe('not the retry and hint of its code')
  const { retry, hint } = errorRow('SESSION_REVOKED')
  expect(judgeMe(409, { error: { ...revoked, retry, hint } })).toContain('not documented')
  expect(judgeMe(200, { ...ME, note: 'pit_w_secret' })).toBe('echoes the key')
})
