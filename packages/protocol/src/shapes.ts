import type { TSchema } from '@sinclair/typebox'
import type { AnswerShapes, Shape } from './decode.ts'
import { ROUTE_IDS, routeById } from './routes/table.ts'

/** Keywords that say nothing about whether a response is well-formed. */
const SILENT = new Set(['description', 'title', 'examples', 'default', 'shown', 'chosenBy', 'exactlyOne'])

/**
 * The shapes of all answers. A browser would need 45 kB for the schemas and TypeBox, for these 11 kB; `npm run
 * generate` writes them to answers.json.
 */
export function answerShapes(): AnswerShapes {
  const uses = new Map<string, number>()
  const whole = ROUTE_IDS.map((id) => [id, shapeOf(routeById(id).answer)] as const)
  const count = (shape: Shape): void => {
    const key = JSON.stringify(shape)
    uses.set(key, (uses.get(key) ?? 0) + 1)
    if (uses.get(key) === 1) for (const one of innerOf(shape)) count(one)
  }
  for (const [, shape] of whole) count(shape)
  const shared: Shape[] = []
  const numbers = new Map<string, number>()
  const share = (shape: Shape): Shape => {
    const key = JSON.stringify(shape)
    const number = numbers.get(key)
    if (number !== undefined) return number
    const compact = withInner(shape, share)
    if (typeof shape === 'string' || uses.get(key) === 1) return compact
    numbers.set(key, shared.length)
    return shared.push(compact) - 1
  }
  const routes = Object.fromEntries(whole.map(([id, shape]) => [id, share(shape)]))
  return { shared, routes }
}

const isBranch = (shape: Shape): shape is Exclude<Shape, string | number> => typeof shape === 'object'

function innerOf(shape: Shape): readonly Shape[] {
  if (!isBranch(shape)) return []
  if ('fields' in shape) return Object.values(shape.fields)
  if ('list' in shape) return [shape.list]
  if ('map' in shape) return [shape.map]
  return 'anyOf' in shape ? shape.anyOf : []
}

function withInner(shape: Shape, change: (shape: Shape) => Shape): Shape {
  if (!isBranch(shape)) return shape
  if ('fields' in shape) {
    const fields = Object.entries(shape.fields).map(([name, one]) => [name, change(one)])
    return { ...shape, fields: Object.fromEntries(fields) as { [name: string]: Shape } }
  }
  if ('list' in shape) return { ...shape, list: change(shape.list) }
  if ('map' in shape) return { map: change(shape.map) }
  return 'anyOf' in shape ? { anyOf: shape.anyOf.map(change) } : shape
}

type Node = { readonly [keyword: string]: unknown } & {
  readonly properties?: { readonly [name: string]: TSchema }
  readonly patternProperties?: { readonly [pattern: string]: TSchema }
  readonly required?: readonly string[]
}

/** The shape of a schema; throws on a keyword that it does not know. */
export function shapeOf(schema: TSchema): Shape {
  const node = schema as Node
  const keywords = Object.keys(node).filter((key) => !SILENT.has(key))
  const take = (...names: string[]): void => {
    const unknown = keywords.filter((key) => !names.includes(key) && key !== 'type')
    if (unknown.length > 0) throw new TypeError(`no shape for ${unknown.join(', ')}`)
  }
  if (typeof node['decodedBy'] === 'string') return { text: node['decodedBy'] }
  if ('const' in node || 'enum' in node) {
    take('const', 'enum')
    return { oneOf: (node['enum'] ?? [node['const']]) as (string | number | boolean)[] }
  }
  if ('anyOf' in node) {
    take('anyOf')
    return anyOf((node['anyOf'] as TSchema[]).map(shapeOf))
  }
  switch (node['type']) {
    case undefined:
      take()
      return 'any'
    case 'boolean':
    case 'null':
      take()
      return node['type']
    case 'array':
      take('items', 'minItems', 'maxItems', 'uniqueItems')
      return bounded({ list: shapeOf(node['items'] as TSchema) }, node, {
        ...{ min: 'minItems', max: 'maxItems', unique: 'uniqueItems' },
      })
    case 'string':
      take('pattern', 'minLength', 'maxLength')
      return bounded({ text: (node['pattern'] as string | undefined) ?? null }, node, {
        ...{ min: 'minLength', max: 'maxLength' },
      })
    case 'integer':
    case 'number':
      take('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum')
      return bounded({ number: node['type'] }, node, {
        ...{ min: 'minimum', max: 'maximum', above: 'exclusiveMinimum', below: 'exclusiveMaximum' },
      })
    case 'object':
      take('properties', 'required', 'additionalProperties', 'forms', 'patternProperties')
      return objectOf(node)
    default:
      throw new TypeError(`no shape for ${JSON.stringify(node['type'])}`)
  }
}

/** Options of a union in one level, literals together. */
function anyOf(options: readonly Shape[]): Shape {
  const values = options.map((one) => (isBranch(one) && 'oneOf' in one ? one.oneOf : null))
  return values.every((one) => one !== null) ? { oneOf: values.flat() } : { anyOf: options }
}

function bounded<T extends Shape>(shape: T, node: Node, names: { readonly [bound: string]: string }): T {
  const bounds = Object.entries(names).flatMap(([bound, keyword]) =>
    node[keyword] === undefined ? [] : [[bound, node[keyword]]],
  )
  return { ...(shape as object), ...Object.fromEntries(bounds) } as T
}

function objectOf({
  properties,
  required = [],
  patternProperties,
  additionalProperties,
  forms,
}: Node): Shape {
  if (patternProperties) {
    const [[pattern, value] = [], ...more] = Object.entries(patternProperties)
    if (pattern !== '^(.*)$' || !value || more.length > 0) throw new TypeError('no shape for this record')
    return { map: shapeOf(value) }
  }
  const variants = (forms as Node[] | undefined) ?? [{}]
  const shapes = variants.map((form): Shape => {
    const needed = new Set([...required, ...(form.required ?? [])])
    const fields = Object.entries({ ...properties, ...form.properties }).map(([name, one]) => [
      needed.has(name) ? name : `${name}?`,
      shapeOf(one),
    ])
    const closed = additionalProperties === false ? { closed: true as const } : {}
    return { fields: Object.fromEntries(fields) as { [name: string]: Shape }, ...closed }
  })
  return shapes.length === 1 ? shapes[0]! : { anyOf: shapes }
}
