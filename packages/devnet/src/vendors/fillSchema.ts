import type { Order } from './trader.ts'

/** Builds a value of a JSON schema that expresses the orders: strict json_schema responses of any shape. */

export type Schema = Record<string, unknown>

const ROLES = {
  orders: ['orders', 'trades', 'decisions', 'actions'],
  pair: ['pair', 'market', 'symbol'],
  side: ['side', 'direction', 'action'],
  usd: ['usd', 'amount_usd', 'size_usd', 'notional_usd', 'dollars', 'amount'],
}
const hasRole = (role: keyof typeof ROLES, name: string) => ROLES[role].includes(name)

interface Context {
  root: Schema
  orders: Order[]
  /** The order being written, inside the orders array. */
  order?: Order | undefined
}

function resolve(schema: Schema, root: Schema): Schema {
  const ref = schema.$ref
  if (typeof ref !== 'string') return schema
  let at: unknown = root
  for (const part of ref.replace(/^#\/?/, '').split('/').filter(Boolean))
    at = (at as Schema | undefined)?.[part]
  return (at as Schema | undefined) ?? {}
}

const typeOf = (schema: Schema): string => {
  const types = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type ?? '')]
  return types.find((type) => type !== 'null') ?? 'null'
}

const bounded = (value: number, schema: Schema): number => {
  const low = Number(schema.minimum ?? Number.NEGATIVE_INFINITY)
  const high = Number(schema.maximum ?? Number.POSITIVE_INFINITY)
  const clamped = Math.min(high, Math.max(low, value))
  return typeOf(schema) === 'integer' ? Math.floor(clamped) : clamped
}

function fillString(schema: Schema, name: string, context: Context): string {
  const options = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  const text = textFor(name, context)
  if (options)
    return options.find((option) => option.toLowerCase() === text.toLowerCase()) ?? options[0] ?? ''
  const max = Number(schema.maxLength ?? 400)
  return text.slice(0, max)
}

function textFor(name: string, { order, orders }: Context): string {
  if (order && hasRole('pair', name)) return order.pair
  if (order && hasRole('side', name)) return order.side
  if (order) return order.reason
  if (hasRole('side', name)) return orders.length > 0 ? 'trade' : 'hold'
  return orders.length > 0 ? `Placing ${orders.length} order(s).` : 'Nothing moved enough; holding.'
}

/** Orders the item schema can express: a pair or side outside its enum is omitted. */
function expressible(order: Order, item: Schema, root: Schema): boolean {
  const properties = (item.properties ?? {}) as Record<string, Schema>
  return Object.entries(properties).every(([name, raw]) => {
    const options = resolve(raw, root).enum
    if (!Array.isArray(options)) return true
    const requiredValue = hasRole('pair', name) ? order.pair : hasRole('side', name) ? order.side : undefined
    return (
      requiredValue === undefined ||
      options.some((option) => String(option).toLowerCase() === requiredValue.toLowerCase())
    )
  })
}

function fillArray(schema: Schema, name: string, context: Context): unknown[] {
  const item = resolve((schema.items ?? {}) as Schema, context.root)
  if (!hasRole('orders', name)) {
    return Array.from({ length: Number(schema.minItems ?? 0) }, () => fill(item, name, context))
  }
  return context.orders
    .filter((order) => expressible(order, item, context.root))
    .slice(0, Number(schema.maxItems ?? 100))
    .map((order) => fill(item, name, { ...context, order }))
}

function fill(raw: Schema, name: string, context: Context): unknown {
  const schema = resolve(raw, context.root)
  if ('const' in schema) return schema.const
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray) as Schema[] | undefined
  if (options) {
    const chosen = options
      .map((option) => resolve(option, context.root))
      .find((option) => typeOf(option) !== 'null')
    return chosen ? fill(chosen, name, context) : null
  }
  switch (typeOf(schema)) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
      return Object.fromEntries(properties.map(([key, inner]) => [key, fill(inner, key, context)]))
    }
    case 'array':
      return fillArray(schema, name, context)
    case 'number':
    case 'integer':
      return bounded(context.order && hasRole('usd', name) ? context.order.usd : 0.5, schema)
    case 'boolean':
      return context.orders.length > 0
    case 'null':
      return schema.enum ? fillString(schema, name, context) : null
    default:
      return fillString(schema, name, context)
  }
}

export const fillSchema = (schema: Schema, orders: Order[]): unknown =>
  fill(schema, '', { root: schema, orders })

/** Schema features a strict gateway rejects: an open object, or a property that is not required. */
export function strictProblem(raw: Schema, root: Schema = raw, path = '$', depth = 0): string | undefined {
  const schema = resolve(raw, root)
  if (depth > 10) return undefined
  const inner: [string, Schema][] = []
  if (typeOf(schema) === 'object') {
    const properties = (schema.properties ?? {}) as Record<string, Schema>
    if (schema.additionalProperties !== false) return `${path}: additionalProperties must be false`
    const required = new Set((schema.required ?? []) as string[])
    const missing = Object.keys(properties).find((name) => !required.has(name))
    if (missing) return `${path}: required must include ${missing}`
    inner.push(...Object.entries(properties))
  }
  if (schema.items) inner.push(['[]', schema.items as Schema])
  for (const list of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(list)) inner.push(...list.map((option, i): [string, Schema] => [`(${i})`, option]))
  }
  for (const [name, child] of inner) {
    const problem = strictProblem(child, root, `${path}.${name}`, depth + 1)
    if (problem) return problem
  }
  return undefined
}
