import { expect, it } from 'vitest'
import { requestHash } from './requestHash.ts'

it('ignores the request id and the order of fields', () => {
  const hash = requestHash({ amount_in: '5', token_in: 'ETH' })
  expect(requestHash({ token_in: 'ETH', amount_in: '5', client_id: 'a', shield: undefined })).toBe(hash)
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})

it('differs if a field differs', () => {
  const hash = requestHash({ amount_in: '5', limits: { max_trade_usd: 3 } })
  expect(requestHash({ amount_in: '5', limits: { max_trade_usd: 3.5 } })).not.toBe(hash)
  expect(requestHash({ amount_in: '5' })).not.toBe(hash)
  expect(requestHash({ amount_in: 5, limits: { max_trade_usd: 3 } })).not.toBe(hash)
})
