import type { AnyRoute } from '@pit/protocol'
import type { Random } from './random.ts'

export type Schema = AnyRoute['body']

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.pick([...'0123456789abcdef'])).join('')

/** Text for the schemas' patterns; a wrong text now and then is intended. */
function textFor(random: Random, pattern: string | undefined): string {
  if (pattern?.includes('{130}')) return `0x${hex(random, 130)}`
  if (pattern?.includes('{64,8192}'))
    return `0x${hex(random, random.chance(0.7) ? 130 : 2 * (60 + random.below(400)))}`
  if (pattern?.includes('{64}$')) return `0x${hex(random, 64)}`
  if (pattern?.includes('{40}'))
    return random.chance(0.3) ? random.pick(['ETH', 'USDG', 'NVDA']) : `0x${hex(random, 40)}`
  if (pattern?.includes('[1-9]')) return String(random.below(1_000_000_000))
  if (pattern?.startsWith('^0x')) return `0x${hex(random, 2 * random.below(200))}`
  return random.pick([
    'a',
    'some-id_1',
    'x'.repeat(random.below(200)),
    'naïve 🦊',
    '<script>alert(1)</script>',
  ])
}

/** A value that roughly matches the schema. */
export function valueFor(random: Random, schema: Schema): unknown {
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(schema['anyOf'])) return valueFor(random, random.pick(schema['anyOf'] as Schema[]))
  switch (schema['type']) {
    case 'string':
      return textFor(random, schema['pattern'] as string | undefined)
    case 'integer':
      return random.pick([0, 1, 25, 300, 86_400, 1_700_000_000, (schema['minimum'] as number) ?? 5])
    case 'number':
      return random.pick([1, 2.5, 100, 10_000, 0.01])
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array':
      return Array.from({ length: random.below(4) }, () => valueFor(random, schema['items'] as Schema))
    case 'object':
      return objectFor(random, schema)
    default:
      return junk(random)
  }
}

function objectFor(random: Random, schema: Schema): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  const required = (schema['required'] as string[] | undefined) ?? []
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
    if (required.includes(name) || random.chance(0.3)) result[name] = valueFor(random, inner)
  }
  return result
}

/** An unrelated value. */
export function junk(random: Random): unknown {
  const deep = (levels: number): unknown =>
    levels === 0 ? 1 : random.chance(0.5) ? [deep(levels - 1)] : { a: deep(levels - 1) }
  return random.pick([
    () => null,
    () => random.chance(0.5),
    () => '',
    () => 'x'.repeat(random.below(5_000)),
    () => String.fromCharCode(random.below(32)) + random.below(9),
    () => '\ud83e',
    () => '__proto__',
    () => -random.below(1_000),
    () => random.next() * 1e300,
    () => 1e21,
    () => 9_007_199_254_740_992,
    () => [],
    () => ({}),
    () => [null, {}, []],
    () => deep(random.below(40)),
    () => ({ constructor: { prototype: { isAdmin: true } } }),
    () => `${random.below(100)}`,
    () => '{{7*7}}',
    () => "' or 1=1; drop table api_keys; --",
  ])()
}

/** Spoils an object in one place. */
export function spoil(random: Random, value: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(value)
  const name =
    names.length > 0 && random.chance(0.8)
      ? random.pick(names)
      : random.pick(['x', 'fee_bps', 'assume_state', 'constructor', 'toString', ''])
  if (random.chance(0.25)) {
    const { [name]: _, ...rest } = value
    return rest
  }
  return { ...value, [name]: junk(random) }
}
