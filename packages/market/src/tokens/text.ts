import type { Hex } from '@pit/chain'

export const SYMBOL_MAX_CHARS = 64
export const NAME_MAX_CHARS = 128
/** The rest of a longer text is not decoded. */
const MAX_TEXT_BYTES = 1_024
const MAX_ANSWER_BYTES = 262_144
const WORD = 32

export interface ReadText {
  text: string
  hidden: boolean
  cut: boolean
}

/** Controls, direction overrides, zero-width characters and line separators, which disguise a text. */
const HIDDEN_RANGES = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e',
  '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}',
]
const HIDDEN = new RegExp(`[${HIDDEN_RANGES.join('')}]`, 'gu')

/** A deployer's text, sent as a string or a bytes32; shortened and cleaned. Null if it is neither. */
export function decodeText(answer: Hex | undefined, maxChars: number): ReadText | null {
  const bytes = answer === undefined ? undefined : bytesOf(answer)
  if (!bytes || bytes.length === 0) return null
  const raw = bytes.length === WORD ? untilZero(bytes) : stringIn(bytes)
  if (raw === null) return null
  return cleanText(new TextDecoder().decode(raw), maxChars, raw.length === MAX_TEXT_BYTES)
}

export function cleanText(raw: string, maxChars: number, alreadyCut = false): ReadText {
  const shown = raw.replace(HIDDEN, '\ufffd').trim()
  const chars = [...shown]
  const cut = alreadyCut || chars.length > maxChars
  return { text: cut ? chars.slice(0, maxChars).join('') : shown, hidden: shown.includes('\ufffd'), cut }
}

/** The text that search compares, equal for any case, width or composition. Bounded: an index key. */
export const searchKey = (text: string): string =>
  [...text.normalize('NFKC').toLowerCase().replaceAll('\u0000', '').trim()].slice(0, NAME_MAX_CHARS).join('')

function bytesOf(answer: Hex): Uint8Array | undefined {
  if ((answer.length - 2) / 2 > MAX_ANSWER_BYTES) return undefined
  return Buffer.from(answer.slice(2), 'hex')
}

function untilZero(word: Uint8Array): Uint8Array {
  const end = word.indexOf(0)
  return end === -1 ? word : word.subarray(0, end)
}

/** An ABI string: offset, length, bytes. A length past the end is cut to what is there. */
function stringIn(bytes: Uint8Array): Uint8Array | null {
  const offset = numberAt(bytes, 0)
  if (offset === null) return null
  const length = numberAt(bytes, offset)
  if (length === null) return null
  const start = offset + WORD
  return bytes.subarray(start, start + Math.min(length, MAX_TEXT_BYTES))
}

function numberAt(bytes: Uint8Array, at: number): number | null {
  if (at + WORD > bytes.length) return null
  for (let i = at; i < at + 28; i++) if (bytes[i] !== 0) return null
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at + 28)
}
