import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSeal } from './seal.ts'

const seal = createSeal(randomBytes(32), randomBytes)

it('opens a sealed text in its own row only', () => {
  const sealed = seal.seal('a secret', 'row:1')
  expect(Buffer.from(sealed).toString('latin1')).not.toContain('a secret')
  expect(seal.open(sealed, 'row:1')).toBe('a secret')
  expect(() => seal.open(sealed, 'row:2')).toThrow()
  expect(() => createSeal(randomBytes(32), randomBytes).open(sealed, 'row:1')).toThrow()
})

it('rejects any changed byte', () => {
  const sealed = seal.seal('another', 'row')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => seal.open(changed, 'row')).toThrow()
  }
  expect(() => seal.open(new Uint8Array(0), 'row')).toThrow()
  expect(() => seal.open(sealed.slice(0, 20), 'row')).toThrow()
})

it('never seals the same text to the same bytes, and rejects a short key', () => {
  expect(seal.seal('x', 'row')).not.toEqual(seal.seal('x', 'row'))
  expect(() => createSeal(randomBytes(16), randomBytes)).toThrow('32 bytes')
})
