/** Makes text and JSON storable: brains and token names may contain anything. */

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const MAX_JSON_CHARS = 32_768
const MAX_TEXT_CHARS = 4_000

/** Removes NUL characters and lone surrogates, and limits the length. */
export function storableText(text: string): string {
  const plain = text.replaceAll('\0', '').replace(LONE_SURROGATE, '\ufffd')
  return plain.length > MAX_TEXT_CHARS ? `${plain.slice(0, MAX_TEXT_CHARS - 1)}…` : plain
}

/** JSON for the store; an oversized value is replaced by a note. */
export function storableJson(value: unknown, maxChars = MAX_JSON_CHARS): string {
  const text = JSON.stringify(cleaned(value))
  return text.length > maxChars ? JSON.stringify({ too_long: text.length }) : text
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [storableText(name), cleaned(own)]))
}
