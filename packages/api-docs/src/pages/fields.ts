import type { TSchema } from '@sinclair/typebox'
import { literalsOf } from '../jsonSchema.ts'

export type Field = { name: string; type: string; needed: string; description: string }

/** A schema in a few words: `string`, `budget | exact`, `array of Token`, `Plan or Revocation`. */
export function typeWords(schema: TSchema): string {
  if (schema['shown'] !== undefined) return typeWords(schema['shown'] as TSchema)
  const values = literalsOf(schema)
  if (values !== null) return values.join(' | ')
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (schema['title'] !== undefined) return schema['title'] as string
  const options = schema['anyOf'] as TSchema[] | undefined
  if (options !== undefined) return options.map(typeWords).join(' or ')
  if (schema['type'] === 'array') return `array of ${typeWords(schema['items'] as TSchema)}`
  if (schema['patternProperties'] !== undefined) {
    const [value] = Object.values(schema['patternProperties'] as Record<string, TSchema>)
    return value === undefined || Object.keys(value).length === 0 ? 'object' : `map of ${typeWords(value)}`
  }
  return (schema['type'] as string | undefined) ?? 'any'
}

/** The fields of an object, nested ones as `limits.max_trade_usd` and `steps[].kind`. */
export function fieldsOf(schema: TSchema, prefix = '', depth = 3): Field[] {
  const own = schema['properties'] as Record<string, TSchema> | undefined
  if (own === undefined || depth === 0) return []
  const properties = { ...own, ...decidedFields(schema) }
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

/** Fields that differ by variant, each as a choice of the variants' types; described by the object. */
function decidedFields(schema: TSchema): Record<string, TSchema> {
  const forms = (schema['forms'] as readonly TSchema[] | undefined) ?? []
  const own = schema['properties'] as Record<string, TSchema>
  return Object.fromEntries(
    Object.keys((forms[0]?.['properties'] as object | undefined) ?? {}).map((name) => {
      const anyOf = forms.map((form) => (form['properties'] as Record<string, TSchema>)[name] as TSchema)
      return [name, { ...own[name], type: undefined, patternProperties: undefined, anyOf } as TSchema]
    }),
  )
}

function neededWords(property: TSchema, required: boolean, oneOf: readonly string[], name: string): string {
  if (oneOf.includes(name)) return `one of ${oneOf.join(', ')}`
  if (property['default'] !== undefined) return `default ${JSON.stringify(property['default'])}`
  return required ? 'required' : 'optional'
}

/** Untitled objects are shown inline; titled ones have their own section. */
function innerFields(property: TSchema, name: string, depth: number): Field[] {
  const choices = (property['anyOf'] as TSchema[] | undefined) ?? []
  const maps = [property, ...choices].flatMap((schema) =>
    Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {}),
  )
  const inner = [property, ...choices].flatMap((schema) =>
    schema['type'] === 'array'
      ? [{ schema: schema['items'] as TSchema, at: `${name}[].` }]
      : [{ schema, at: `${name}.` }],
  )
  return [...inner, ...maps.map((schema) => ({ schema, at: `${name}.*.` }))].flatMap(({ schema, at }) =>
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
    ...((schema['forms'] as readonly TSchema[] | undefined) ?? []),
    ...(schema['shown'] === undefined ? [] : [schema['shown'] as TSchema]),
    ...Object.values((schema['properties'] as Record<string, TSchema> | undefined) ?? {}),
    ...Object.values((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {}),
    ...((schema['anyOf'] as TSchema[] | undefined) ?? []),
    ...(schema['items'] === undefined ? [] : [schema['items'] as TSchema]),
  ]
  for (const next of inner) collectNamed(next, found)
}
