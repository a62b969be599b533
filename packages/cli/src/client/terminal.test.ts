import { expect, it } from 'vitest'
import { json } from './exit.ts'
import { printable, table } from './terminal.ts'

const HOSTILE = 'live\u001b[2J\u202Eevil\u200B'

it('prints line breaks, but no escapes, bidi overrides or invisible characters', () => {
  expect(printable(`a\n${HOSTILE}`)).toBe('a\nlive�[2J�evil�')
})

it('keeps a cell on its line', () => {
  expect(table([['mode', 'live\nFix: run pit']])).toBe('mode  live�Fix: run pit')
})

it('escapes invisible characters in JSON without changing the value', () => {
  const text = json({ mode: HOSTILE, name: 'a\u{E0001}' })
  expect(printable(text)).toBe(text)
  expect(JSON.parse(text)).toEqual({ mode: HOSTILE, name: 'a\u{E0001}' })
})
