import fc from 'fast-check'
import { encodeAbiParameters, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeText, NAME_MAX_CHARS, SYMBOL_MAX_CHARS, searchKey } from './text.ts'

const abiString = (text: string): Hex => encodeAbiParameters([{ type: 'string' }], [text])
const word = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`

describe('a deployer’s text', () => {
  it('is read as a string or as one word', () => {
    expect(decodeText(abiString('Good Token'), 64)).toEqual({ text: 'Good Token', hidden: false, cut: false })
    expect(decodeText(word('OLDMKR'), 64)?.text).toBe('OLDMKR')
    expect(decodeText(abiString('<script>alert("pit")</script>'), 64)?.text).toBe(
      '<script>alert("pit")</script>',
    )
    expect(decodeText(abiString(''), 64)).toEqual({ text: '', hidden: false, cut: false })
  })
  it('is bounded', () => {
    const long = decodeText(abiString('LONG'.repeat(75)), SYMBOL_MAX_CHARS)!
    expect(long).toMatchObject({ cut: true, hidden: false })
    expect([...long.text]).toHaveLength(SYMBOL_MAX_CHARS)
    const emoji = decodeText(abiString('😀'.repeat(300)), SYMBOL_MAX_CHARS)!
    expect([...emoji.text]).toHaveLength(SYMBOL_MAX_CHARS)
    expect(Buffer.from(emoji.text).toString()).toBe(emoji.text)
  })
  it('shows characters that hide or reorder text', () => {
    const shown = decodeText(abiString('Bell\u0007Esc\u001b[31mNul\u0000RTL\u202eZW\u200bBOM\ufeff'), 64)!
    expect(shown.hidden).toBe(true)
    expect(shown.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\ufeff]/)
    expect(shown.text).toContain('Bell\ufffdEsc')
  })
  it('is null if the response is neither, has a wrong length or is huge', () => {
    expect(decodeText(undefined, 64)).toBeNull()
    expect(decodeText('0x', 64)).toBeNull()
    expect(decodeText('0x1234', 64)).toBeNull()
    expect(decodeText(`0x${'ff'.repeat(64)}`, 64)).toBeNull()
    const lying =
      `0x${'20'.padStart(64, '0')}${'ffffffff'.padStart(64, '0')}${Buffer.from('abc').toString('hex')}` as Hex
    expect(decodeText(lying, 64)?.text).toBe('abc')
    expect(decodeText(`0x${'00'.repeat(300_000)}`, 64)).toBeNull()
  })
  it('never throws and never passes a control character, whatever comes', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.string({ unit: 'binary', maxLength: 200 }),
        (bytes, text) => {
          for (const answer of [`0x${Buffer.from(bytes).toString('hex')}` as Hex, abiString(text)]) {
            const read = decodeText(answer, NAME_MAX_CHARS)
            if (read === null) continue
            expect([...read.text].length).toBeLessThanOrEqual(NAME_MAX_CHARS)
            expect(read.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
            expect(Buffer.byteLength(searchKey(read.text))).toBeLessThan(2_600)
          }
        },
      ),
    )
  })
})
