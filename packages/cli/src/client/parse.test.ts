import { describe, expect, it } from 'vitest'
import { address, defined, duration, jsonObject, positive, whole } from './parse.ts'

describe('options are read or refused', () => {
  it.each([
    ['90s', 90],
    ['30m', 1_800],
    ['24h', 86_400],
    ['7d', 604_800],
  ])('%s is %d seconds', (text, seconds) => expect(duration(text)).toBe(seconds))

  it.each<[string, (text: string) => unknown, string[]]>([
    ['a time', duration, ['', '0m', '5', 'm', '1.5h', '-1h', '1h30m', '5w']],
    ['dollars', positive, ['', '0', '-5', 'NaN', 'Infinity', '5 dollars']],
    ['a count', whole, ['', '-1', '1.5', '1e3', '0x10', '9'.repeat(16)]],
    ['an address', address, ['', '0x', `0x${'1'.repeat(39)}`, `0x${'1'.repeat(41)}`, `0x${'g'.repeat(40)}`]],
    ['params', jsonObject, ['', 'usd=5', '[]', 'null', '5']],
  ])('%s', (_, read, wrong) => {
    for (const text of wrong) expect(() => read(text), text).toThrow('Must be')
  })

  it('an option left out is left out of the request', () => {
    expect(defined({ one: 1, none: undefined, no: false, nothing: null })).toEqual({
      one: 1,
      no: false,
      nothing: null,
    })
  })
})
