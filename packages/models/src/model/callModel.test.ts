import { expect, it } from 'vitest'
import { readCall } from './callModel.ts'

const readResponse = (status: number, headers: Record<string, string> = {}) =>
  readCall({ kind: 'answer', status, headers, text: '{}' }, { usage: true, header: null })

it.each([
  [400, 'PARTNER_REJECTED'],
  [401, 'KEY_REFUSED'],
  [402, 'PARTNER_BALANCE'],
  [403, 'KEY_REFUSED'],
  [404, 'MODEL_NOT_ALLOWED'],
  [413, 'PARTNER_REJECTED'],
  [422, 'PARTNER_REJECTED'],
  [429, 'PARTNER_RATE'],
])('%i means that the call did not run: %s', (status, code) => {
  expect(readResponse(status)).toMatchObject({ kind: 'refused', code })
})

it.each([200, 204, 301, 408, 500, 502, 503, 504, 529])(
  '%i without a completion may follow a call that ran',
  (status) => {
    expect(readResponse(status)).toMatchObject({ kind: 'lost', code: 'PARTNER_GATEWAY_ERROR' })
  },
)

it('uses the vendor’s Retry-After', () => {
  expect(readResponse(429, { 'retry-after': '12' })).toMatchObject({ retryAfterS: 12 })
  for (const odd of ['', '-1', 'soon', 'Infinity']) {
    const { retryAfterS } = readResponse(429, { 'retry-after': odd }) as { retryAfterS: number | null }
    expect(retryAfterS === null || retryAfterS === 0, odd).toBe(true)
  }
})
