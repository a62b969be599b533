import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storableJson, storableText } from './storable.ts'

describe('stored text of a brain', () => {
  it('has no character that the store rejects', () => {
    expect(storableText('a\0b\ud800c\udc00d\ud83d\ude00')).toBe('ab\ufffdc\ufffdd\ud83d\ude00')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(storableText(text)).not.toMatch(/\0/)
        expect(() => encodeURIComponent(storableText(text))).not.toThrow()
      }),
    )
  })

  it('keeps valid text', () => {
    const value = { a: [1, null, true, 'x'], b: { c: 10n } }
    expect(JSON.parse(storableJson(value))).toEqual({ a: [1, null, true, 'x'], b: { c: '10' } })
    expect(JSON.parse(storableJson({ 'k\0': '\\u0000' }))).toEqual({ k: '\\u0000' })
  })

  it('replaces an oversized value by its length', () => {
    expect(Object.keys(JSON.parse(storableJson(Array.from({ length: 20_000 }, () => 'xx'))))).toEqual([
      'too_long',
    ])
    expect(storableText('x'.repeat(10_000)).length).toBe(4_000)
  })
})
