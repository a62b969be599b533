import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountName, capsOf, looksLikeKey, newKeyText, retryAfterS } from './rules.ts'

describe('a cap', () => {
  const caps = { signupsPerAddressDay: 2, signupsPerHour: 3, keysPerAddressDay: 4, keysPerHour: 5 }
  const nowS = 10 * 86_400 + 3 * 3_600 + 100

  it('applies per day for an address and per hour for the service', () => {
    expect(capsOf('key', caps, [{ id: '192.0.2.7', cost: 1 }], nowS)).toEqual([
      { scope: '192.0.2.7', windowStartS: 10 * 86_400, windowEndS: 11 * 86_400, max: 4 },
      {
        scope: 'service',
        windowStartS: 10 * 86_400 + 3 * 3_600,
        windowEndS: 10 * 86_400 + 4 * 3_600,
        max: 5,
      },
    ])
    expect(capsOf('account', caps, [{ id: '192.0.2.7', cost: 1 }], nowS).map(({ max }) => max)).toEqual([
      2, 3,
    ])
  })

  it('if exceeded, waits until the last of its windows ends', () => {
    const both = capsOf('account', caps, [{ id: 'a', cost: 1 }], nowS)
    const wait = (address: number, service: number) =>
      retryAfterS(
        both,
        new Map([
          ['a', address],
          ['service', service],
        ]),
        nowS,
      )
    expect(wait(2, 3)).toBeUndefined()
    expect(wait(2, 4)).toBe(3_500)
    expect(wait(3, 3)).toBe(86_400 - 3 * 3_600 - 100)
    expect(wait(3, 4)).toBe(86_400 - 3 * 3_600 - 100)
  })
})

it('accepts only well-formed keys', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (random) => {
      const key = newKeyText(random)
      expect(looksLikeKey(key)).toBe(true)
      expect(Buffer.from(key.slice(6), 'base64url')).toEqual(Buffer.from(random))
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => !looksLikeKey(text)))
  expect(looksLikeKey(`pit_w_${'A'.repeat(43)}\n`)).toBe(false)
})

it('names an account by the ends of its wallet', () => {
  expect(accountName(7, '0x1234567890123456789012345678901234567890')).toBe('0x1234...7890')
  expect(accountName(7, null)).toBe('account 7')
})
