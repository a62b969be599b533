/** A JSON value. Fields that are `undefined` are omitted, as in JSON.stringify. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [field: string]: Json | undefined }

/**
 * Canonical JSON for hashing: keys sorted by code point, no spaces, ASCII only (`\u` and four lower-case
 * digits for everything else), numbers as in ECMAScript. For texts and whole numbers it equals Python's
 * `json.dumps(value, sort_keys=True, separators=(",", ":"))`, so that hashes can be checked anywhere.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return written(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalJson).join(',')}]`
  if (!isPlainObject(value)) throw new TypeError(`JSON has no ${typeof value} like this`)
  const fields = Object.entries(value)
    .filter((field): field is [string, Json] => field[1] !== undefined)
    .sort(([a], [b]) => byCodePoint(a, b))
  return `{${fields.map(([name, inner]) => `${quoted(name)}:${canonicalJson(inner)}`).join(',')}}`
}

const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function written(value: number): string {
  // Larger integers lose precision in other languages.
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`${value} has no exact JSON: send it as a string`)
  }
  return JSON.stringify(value)
}

/**
 * JavaScript compares UTF-16 units, which puts U+1F600 before U+FF5E; other languages compare code points.
 */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] as string).codePointAt(0)! - (right[i] as string).codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function isPlainObject(value: unknown): value is { readonly [field: string]: Json | undefined } {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return prototype === Object.prototype || prototype === null
}
