const MAX_DEPTH = 16

/** Parses exactly one JSON object: no surrounding text, no duplicate keys, no prototype keys. */
export function parseOneObject(text: string): Record<string, unknown> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isPlainObject(value)) return undefined
  const keys = countKeys(value, 1)
  return keys !== undefined && keys === keysInText(text) ? value : undefined
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Number of keys at all levels; undefined if nested too deeply or if a key is not allowed. */
function countKeys(value: object, depth: number): number | undefined {
  if (depth > MAX_DEPTH) return undefined
  const names = Object.keys(value)
  let count = Array.isArray(value) ? 0 : names.length
  for (const name of names) {
    if (name === '__proto__') return undefined
    const inner = (value as Record<string, unknown>)[name]
    if (typeof inner !== 'object' || inner === null) continue
    const within = countKeys(inner, depth + 1)
    if (within === undefined) return undefined
    count += within
  }
  return count
}

/** Number of keys in valid JSON text (strings followed by a colon); duplicates count twice. */
function keysInText(text: string): number {
  let count = 0
  for (const match of text.matchAll(/[^"]*"(?:[^"\\]|\\.)*"\s*(:?)/gy)) if (match[1] === ':') count += 1
  return count
}
