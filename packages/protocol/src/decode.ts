/**
 * Decodes responses by shapes: a value becomes a copy with the documented fields only. Closures instead of compiled
 * source text, because the page's CSP allows no eval. `shapes.ts` makes the shapes from the routes' schemas.
 */

/** A short form of a JSON schema. A number refers to a shared shape; a field that ends in `?` is optional. */
export type Shape =
  | number
  | 'any'
  | 'boolean'
  | 'null'
  /** Unknown fields are dropped; a closed object must not have any. */
  | { readonly fields: { readonly [name: string]: Shape }; readonly closed?: true }
  | { readonly list: Shape; readonly min?: number; readonly max?: number; readonly unique?: true }
  | { readonly map: Shape }
  | { readonly anyOf: readonly Shape[] }
  | { readonly oneOf: readonly (string | number | boolean | null)[] }
  | { readonly text: string | null; readonly min?: number; readonly max?: number }
  | {
      readonly number: 'integer' | 'number'
      readonly min?: number
      readonly max?: number
      readonly above?: number
      readonly below?: number
    }

/** The answers of all routes. */
export interface AnswerShapes {
  readonly shared: readonly Shape[]
  readonly routes: { readonly [route: string]: Shape }
}

export type Decoded = { ok: true; value: unknown } | { ok: false; field: string }

const BAD = Symbol('malformed')
/** Where it failed, innermost name first, and after how many fields. */
interface Path {
  names: string[]
  after: number
}
type Decoder = (value: unknown, path: Path) => unknown

/** Compiles the shapes when they are first used. */
export function createDecoder({ shared, routes }: AnswerShapes): (route: string, value: unknown) => Decoded {
  const made = new Map<Shape, Decoder>()
  const decoderOf = (shape: Shape): Decoder => {
    const decoder = made.get(shape) ?? make(shape, decoderOf, shared)
    made.set(shape, decoder)
    return decoder
  }
  return (route, value) => {
    const path: Path = { names: [], after: 0 }
    const decoded = decoderOf(routes[route]!)(value, path)
    return decoded === BAD
      ? { ok: false, field: path.names.reverse().join('.') }
      : { ok: true, value: decoded }
  }
}

function make(shape: Shape, decoderOf: (shape: Shape) => Decoder, shared: readonly Shape[]): Decoder {
  if (typeof shape === 'number') return decoderOf(shared[shape]!)
  if (shape === 'any') return (value) => value
  if (shape === 'null') return (value) => (value === null ? null : BAD)
  if (shape === 'boolean') return (value) => (typeof value === 'boolean' ? value : BAD)
  if ('fields' in shape) return fieldsOf(shape, decoderOf)
  if ('list' in shape) return listOf(shape, decoderOf(shape.list))
  if ('map' in shape) return mapOf(decoderOf(shape.map))
  if ('anyOf' in shape) return unionOf(shape.anyOf.map(decoderOf))
  if ('oneOf' in shape) return oneOf(shape.oneOf)
  return 'text' in shape ? textOf(shape) : numberOf(shape)
}

type Of<Key extends string> = Extract<Shape, { readonly [K in Key]: unknown }>

function fieldsOf({ fields, closed }: Of<'fields'>, decoderOf: (shape: Shape) => Decoder): Decoder {
  const rows = Object.entries(fields).map(([name, shape]) => {
    const isOptional = name.endsWith('?')
    return { name: isOptional ? name.slice(0, -1) : name, isOptional, decoder: decoderOf(shape) }
  })
  return (value, path) => {
    if (!isObject(value)) return BAD
    const decoded: Record<string, unknown> = {}
    for (const [after, { name, isOptional, decoder }] of rows.entries()) {
      const isThere = Object.hasOwn(value, name)
      if (!isThere && isOptional) continue
      const one = isThere ? decoder(value[name], path) : BAD
      if (one === BAD) {
        path.names.push(name)
        path.after += after
        return BAD
      }
      decoded[name] = one
    }
    const isWhole = !closed || Object.keys(value).length === Object.keys(decoded).length
    return isWhole ? decoded : BAD
  }
}

/** Names come from the response: `fromEntries` defines `__proto__` as a field, and faults show names as `*`. */
function mapOf(item: Decoder): Decoder {
  return (value, path) => {
    if (!isObject(value)) return BAD
    const entries: [string, unknown][] = []
    for (const [name, one] of Object.entries(value)) {
      const decoded = item(one, path)
      if (decoded === BAD) {
        path.names.push('*')
        return BAD
      }
      entries.push([name, decoded])
    }
    return Object.fromEntries(entries)
  }
}

function listOf({ min = 0, max = Number.POSITIVE_INFINITY, unique }: Of<'list'>, item: Decoder): Decoder {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) return BAD
    const decoded: unknown[] = []
    for (let i = 0; i < value.length; i++) {
      const one = item(value[i], path)
      if (one === BAD) {
        path.names.push(String(i))
        return BAD
      }
      decoded.push(one)
    }
    return unique && new Set(decoded).size < decoded.length ? BAD : decoded
  }
}

/** The first option that fits; otherwise the fault of the one that went furthest. */
function unionOf(options: readonly Decoder[]): Decoder {
  return (value, path) => {
    let furthest: Path = { names: [], after: -1 }
    for (const option of options) {
      const inside: Path = { names: [], after: 0 }
      const decoded = option(value, inside)
      if (decoded !== BAD) return decoded
      const isFurther = inside.names.length > furthest.names.length
      const isLater = inside.names.length === furthest.names.length && inside.after > furthest.after
      if (isFurther || isLater) furthest = inside
    }
    path.names.push(...furthest.names)
    path.after += furthest.after
    return BAD
  }
}

function oneOf(values: readonly unknown[]): Decoder {
  const allowed = new Set(values)
  return (value) => (allowed.has(value) ? value : BAD)
}

function textOf({ text, min = 0, max = Number.POSITIVE_INFINITY }: Of<'text'>): Decoder {
  const pattern = text === null ? null : new RegExp(text)
  return (value) => {
    if (typeof value !== 'string' || value.length < min || value.length > max) return BAD
    return pattern === null || pattern.test(value) ? value : BAD
  }
}

/** JSON has 1e999, which parses as Infinity, and integers that a number cannot hold. */
function numberOf({ number, min, max, above, below }: Of<'number'>): Decoder {
  const isKind = number === 'integer' ? Number.isSafeInteger : Number.isFinite
  return (value) => {
    if (typeof value !== 'number' || !isKind(value)) return BAD
    if (min !== undefined && value < min) return BAD
    if (max !== undefined && value > max) return BAD
    if (above !== undefined && value <= above) return BAD
    return below !== undefined && value >= below ? BAD : value
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
