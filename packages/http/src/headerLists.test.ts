import { describe, expect, it } from 'vitest'
import { acceptsEncoding, hasTag } from './headerLists.ts'

describe('If-None-Match', () => {
  it.each<[string | undefined, boolean]>([
    ['"a"', true],
    ['"b", "a"', true],
    ['"b" ,\t"a"', true],
    ['W/"a"', true],
    ['"b"', false],
    ['"aa"', false],
    ['', false],
    [undefined, false],
  ])('%s', (header, expected) => expect(hasTag(header, '"a"')).toBe(expected))

  it('is read up to 64 tags', () => {
    expect(hasTag(`${'"b",'.repeat(63)}"a"`, '"a"')).toBe(true)
    expect(hasTag(`${'"b",'.repeat(64)}"a"`, '"a"')).toBe(false)
  })
})

describe('Accept-Encoding', () => {
  it.each<[string | undefined, boolean]>([
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['gzip; q=1.0', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['gzip;q=x', false],
    ['x-gzip', false],
    ['identity', false],
    [undefined, false],
  ])('%s', (header, expected) => expect(acceptsEncoding(header, 'gzip')).toBe(expected))
})
