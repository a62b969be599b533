import { describe, expect, it } from 'vitest'
import { HostedUpdate } from './schemas/hosted.ts'
import { checkWith } from './validate.ts'
import { hasInvisible, visibleName } from './visibleText.ts'

const INVISIBLE = {
  'a control': '\u0007',
  'a C1 control': '\u0085',
  'a direction override': '\u202e',
  'a direction isolate': '\u2066',
  'a direction mark': '\u200f',
  'a zero-width space': '\u200b',
  'a joiner': '\u200d',
  'a byte order mark': '\ufeff',
  'a soft hyphen': '\u00ad',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'private use': '\ue000',
  'supplementary private use': '\u{10fffd}',
  'a lone surrogate': '\ud800',
  'a tag': '\u{e0041}',
  'a Hangul filler': '\u3164',
  'a grapheme joiner': '\u034f',
  'a variation selector': '\ufe0f',
}
describe.each(Object.entries(INVISIBLE))('%s', (_, char) => {
  it('is rejected in a name', () => {
    expect(hasInvisible(`a${char}b`)).toBe(true)
    expect(visibleName(`a${char}b`, 64)).toBeNull()
    expect(checkWith(HostedUpdate, { name: `a${char}b` })).toMatchObject({
      ok: false,
      code: 'BAD_REQUEST',
      field: 'name',
      message: expect.stringContaining('no invisible characters'),
    })
  })
})

it.each(['Grid 1', 'Ärger', 'тест', '機械', 'वर्ष', '⚔ 🚀', 'a–b’s “x”'])('passes %s', (name) => {
  expect(visibleName(name, 64)).toBe(name)
  expect(checkWith(HostedUpdate, { name })).toEqual({ ok: true })
})

it('composes, trims and cuts', () => {
  expect(visibleName(' a\u0308 ', 64)).toBe('ä')
  expect(visibleName('🚀'.repeat(9), 3)).toBe('🚀🚀🚀')
  expect(visibleName('  ', 64)).toBeNull()
})
