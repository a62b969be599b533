import { literalsOf } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'

export type Field = { name: string; type: string; needed: string; description: string }

/** A schema in a few words: `string`, `budget | exact`, `array of Token`, `Plan or Revocation`. */
export function typeWords(schema: TSchema): string {
  const values = literalsOf(schema)
  if (values !== null) return values.map(String).join(' | ')
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (schema['title'] !== undefined) return schema['title'] as string
  const options = schema['anyOf'] as TSchema[] | undefined
  if (options !== undefined) return options.map(typeWords).join(' or ')
  if (schema['type'] === 'array') return `array of ${typeWords(schema['items'] as TSchema)}`
  if (schema['patternProperties'] !== undefined) {
    const [value] = Object.values(schema['patternProperties'] as Record<string, TSchema>)
    return value?.['type'] === undefined ? 'object' : `map of ${typeWords(value)}`
  }
  return (schema['type'] as string | undefined) ?? 'any'
}

/** The fields of an object, its nested ones as `limits.max_trade_usd` and `steps[].kind`. */
export function fieldsOf(schema: TSchema, prefix = '', depth = 3): Field[] {
  const properties = schema['properties'] as Record<string, TSchema> | undefined
  if (properties === undefined || depth === 0) return []
  const required = new Set((schema['required'] as readonly string[] | undefined) ?? [])
  const oneOf = (schema['exactlyOne'] as readonly string[] | undefined) ?? []
  return Object.entries(properties).flatMap(([name, property]) => {
    const field: Field = {
      name: `${prefix}${name}`,
      type: typeWords(property),
      needed: neededWords(property, required.has(name), oneOf, name),
      description: (property['description'] as string | undefined) ?? '',
    }
    return [field, ...innerFields(property, field.name, depth)]
  })
}

function neededWords(property: TSchema, required: boolean, oneOf: readonly string[], name: string): string {
  if (oneOf.includes(name)) return `one of ${oneOf.join(', ')}`
  if (property['default'] !== undefined) return `default ${JSON.stringify(property['default'])}`
  return required ? 'required' : 'optional'
}

/** Untitled objects are shown in place; titled ones have their own section. */
function innerFields(property: TSchema, name: string, depth: number): Field[] {
  const inner = [property, ...((property['anyOf'] as TSchema[] | undefined) ?? [])].flatMap((schema) =>
    schema['type'] === 'array'
      ? [{ schema: schema['items'] as TSchema, at: `${name}[].` }]
      : [{ schema, at: `${name}.` }],
  )
  return inner.flatMap(({ schema, at }) =>
    schema['title'] === undefined ? fieldsOf(schema, at, depth - 1) : [],
  )
}

/** Every titled object reachable from a schema, by title. */
export function collectNamed(schema: TSchema, found: Map<string, TSchema>): void {
  const title = schema['title'] as string | undefined
  if (title !== undefined) {
    if (found.has(title)) return
    found.set(title, schema)
  }
  const inner = [
    ...Object.values((schema['properties'] as Record<string, TSchema> | undefined) ?? {}),
    ...Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {}),
    ...((schema['anyOf'] as TSchema[] | undefined) ?? []),
    ...(schema['items'] === undefined ? [] : [schema['items'] as TSchema]),
  ]
  for (const next of inner) collectNamed(next, found)
}
