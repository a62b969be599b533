import type { TSchema } from '@sinclair/typebox'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Keywords that only our own validator reads. */
const OWN_KEYWORDS = new Set(['exactlyOne', 'chosenBy', 'title'])

/** A schema as plain JSON Schema 2020-12. A titled schema is put in `shared` once and referred to. */
export function toJsonSchema(schema: TSchema, shared: JsonObject): JsonObject {
  const title = schema['title'] as string | undefined
  if (title === undefined) return plain(schema, shared)
  if (shared[title] === undefined) {
    shared[title] = {}
    shared[title] = plain(schema, shared)
  }
  return { $ref: `#/components/schemas/${title}` }
}

function plain(schema: TSchema, shared: JsonObject): JsonObject {
  const values = literalsOf(schema)
  if (values !== null) return { ...described(schema), enum: values }
  const result: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (OWN_KEYWORDS.has(keyword)) continue
    result[keyword] = convert(keyword, value, shared)
  }
  const group = schema['exactlyOne'] as readonly string[] | undefined
  if (group !== undefined) result['oneOf'] = group.map((name) => ({ required: [name] }))
  return result
}

function convert(keyword: string, value: unknown, shared: JsonObject): Json {
  if (keyword === 'properties' || keyword === 'patternProperties') {
    const inner = value as Record<string, TSchema>
    return Object.fromEntries(
      Object.entries(inner).map(([name, schema]) => [name, toJsonSchema(schema, shared)]),
    )
  }
  if (keyword === 'items') return toJsonSchema(value as TSchema, shared)
  if (keyword === 'anyOf') return (value as TSchema[]).map((schema) => toJsonSchema(schema, shared))
  return structuredClone(value) as Json
}

/** The values of a union of literals, or null for any other schema. */
export function literalsOf(schema: TSchema): (string | number | boolean)[] | null {
  const options = schema['anyOf'] as TSchema[] | undefined
  if (options === undefined) return null
  const values = options.map((option) => option['const'] as string | number | boolean | undefined)
  return values.every((value) => value !== undefined) ? (values as (string | number | boolean)[]) : null
}

const described = (schema: TSchema): JsonObject => ({
  ...(schema['description'] === undefined ? {} : { description: schema['description'] as string }),
  ...(schema['default'] === undefined ? {} : { default: schema['default'] as Json }),
})
