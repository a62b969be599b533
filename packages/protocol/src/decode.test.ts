import type { TSchema } from '@sinclair/typebox'
import { Check } from '@sinclair/typebox/value'
import { expect, it } from 'vitest'
import { createDecoder, type Shape } from './decode.ts'
import { ROUTE_IDS, routeById } from './routes/table.ts'
import { answerShapes, shapeOf } from './shapes.ts'

const decodeBy = (shape: Shape, value: unknown) =>
  createDecoder({ shared: [], routes: { one: shape } })('one', value)
const number: Shape = { number: 'number' }

it('drops unknown fields and shares no object with the input', () => {
  const input = { a: { b: 1, evil: 2 }, evil: {} }
  expect(decodeBy({ fields: { a: { fields: { b: number } } } }, input)).toEqual({
    ok: true,
    value: { a: { b: 1 } },
  })
})

it.each<[string, Shape, unknown, string]>([
  ['a missing field', { fields: { a: { fields: { b: 'null' } } } }, { a: {} }, 'a.b'],
  [
    'a field of the prototype',
    { fields: JSON.parse('{"constructor":"any"}') as object } as Shape,
    {},
    'constructor',
  ],
  ['a list item', { list: 'boolean' }, [true, 1], '1'],
  ['an unknown field of a closed object', { fields: {}, closed: true }, { a: 1 }, ''],
  ['a longer list', { list: 'any', max: 1 }, [1, 2], ''],
  ['an item twice', { list: number, unique: true }, [1, 1], ''],
  ['a value of a map', { map: 'null' }, { x: 1 }, '*'],
  ['infinity', number, JSON.parse('1e999'), ''],
  ['an integer that a number cannot hold', { number: 'integer' }, 2 ** 53, ''],
  ['another member of an enumeration', { oneOf: ['a', 'b'] }, 'c', ''],
  ['a list in place of an object', { fields: {} }, [], ''],
  ['a text with a line break', { text: '^[a-z]+$' }, 'a\n', ''],
  [
    'the variant of the same kind',
    { anyOf: ['a', 'b'].map((kind) => ({ fields: { kind: { oneOf: [kind] }, size: number } })) },
    { kind: 'b', size: 'x' },
    'size',
  ],
  ['the variant that went furthest', { anyOf: ['null', { fields: { a: 'null' } }] }, { a: 1 }, 'a'],
])('rejects %s', (_, shape, value, field) => {
  expect(decodeBy(shape, value)).toEqual({ ok: false, field })
})

it('keeps __proto__ of a map as a field', () => {
  const decoded = decodeBy({ map: 'any' }, JSON.parse('{"__proto__":{"a":1}}'))
  expect(Object.getPrototypeOf(decoded.ok && decoded.value)).toBe(Object.prototype)
})

/** Every schema inside one. */
function* schemasIn(schema: TSchema): Generator<TSchema> {
  yield schema
  const { properties = {}, patternProperties = {}, items, anyOf = [], forms = [] } = schema
  for (const one of [...Object.values(properties), ...Object.values(patternProperties), ...anyOf, ...forms])
    yield* schemasIn(one as TSchema)
  if (items) yield* schemasIn(items)
}

it('agrees with TypeBox about every schema of an answer', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const values = [
    null,
    0,
    1.5,
    -1,
    '',
    'ok',
    '0',
    '0x',
    hash,
    hash.slice(0, 42),
    true,
    [],
    {},
    [{}],
    { a: 1 },
  ]
  const differing: string[] = []
  for (const id of ROUTE_IDS)
    for (const schema of schemasIn(routeById(id).answer)) {
      // TypeBox knows neither forms nor the enumeration of an integer; `decodedBy` is wider.
      if (/"(forms|enum|decodedBy)":/.test(JSON.stringify(schema))) continue
      const shape = shapeOf(schema)
      for (const value of values)
        if (decodeBy(shape, value).ok !== Check(schema, value))
          differing.push(`${id} ${JSON.stringify(shape)} ${JSON.stringify(value)}`)
    }
  expect(differing).toEqual([])
})

it('shares shapes without changing them', () => {
  const { shared, routes } = answerShapes()
  const whole = (shape: Shape): Shape => {
    if (typeof shape === 'number') return whole(shared[shape]!)
    if (typeof shape === 'string') return shape
    if ('list' in shape) return { ...shape, list: whole(shape.list) }
    if ('map' in shape) return { map: whole(shape.map) }
    if ('anyOf' in shape) return { anyOf: shape.anyOf.map(whole) }
    if (!('fields' in shape)) return shape
    const fields = Object.entries(shape.fields).map(([name, one]) => [name, whole(one)] as const)
    return { ...shape, fields: Object.fromEntries(fields) }
  }
  expect(Object.keys(routes)).toEqual(ROUTE_IDS)
  for (const id of ROUTE_IDS) expect(whole(routes[id]!), id).toEqual(shapeOf(routeById(id).answer))
  expect(shared.length).toBeGreaterThan(100)
})
