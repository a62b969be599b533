import type { Json } from './canonicalJson.ts'

/** Controls, formats (bidi marks too), private and lone surrogate characters, separators, ignorable characters. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu

/**
 * Whether a name, label or reason has characters that it may not have. Emoji made of several with joiners have them
 * too: two different texts could look the same.
 */
export const hasInvisible = (text: string): boolean => text.search(INVISIBLE) !== -1

/** A third party's name, composed (NFC) and cut; null if it is blank or has invisible characters. */
export function visibleName(text: string, maxChars: number): string | null {
  // Cut first: the text may be megabytes long.
  const name = text
    .slice(0, 4 * maxChars)
    .normalize('NFC')
    .trim()
  return name === '' || hasInvisible(name) ? null : [...name].slice(0, maxChars).join('')
}

/** A brain's reason is no ground to refuse its order, so there they become spaces. */
export const withoutInvisible = (text: string): string => markInvisible(text, ' ')

/** Replaces every invisible character, line breaks included. */
export const markInvisible = (text: string, mark: string | ((char: string) => string)): string =>
  text.replace(INVISIBLE, mark as string)

/** Text of a third party as one line of visible characters, cut to `maxChars`. */
export function visibleText(text: string, maxChars = 64): string {
  // Cut first as well: the input may be megabytes long.
  const visible = text
    .slice(0, 4 * maxChars)
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return visible.length <= maxChars && text.length <= 4 * maxChars
    ? visible
    : `${visible.slice(0, maxChars)}…`
}

const MAX_DEPTH = 12
const MAX_KEY_CHARS = 64

/** A copy of a JSON value with visible text only; at most `maxValues` values, nested at most 12 deep. */
export function visibleJson(value: unknown, { maxChars = 600, maxValues = 5_000 } = {}): Json {
  let left = maxValues
  const copy = (one: unknown, depth: number): Json => {
    left--
    if (typeof one === 'string') return visibleText(one, maxChars)
    if (typeof one === 'number' || typeof one === 'boolean') return one
    if (typeof one === 'bigint') return one.toString()
    if (typeof one !== 'object' || one === null || depth === MAX_DEPTH) return null
    if (Array.isArray(one)) return one.slice(0, Math.max(left, 0)).map((item) => copy(item, depth + 1))
    const entries = Object.entries(one)
      .filter(([, item]) => item !== undefined)
      .slice(0, Math.max(left, 0))
    return Object.fromEntries(
      entries.map(([key, item]) => [visibleText(key, MAX_KEY_CHARS), copy(item, depth + 1)]),
    )
  }
  return copy(value, 0)
}
