import type { TSchema } from '@sinclair/typebox'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Our own schema keywords, not part of JSON Schema. */
const OWN_KEYWORDS = new Set(['exactlyOne', 'forms', 'shown', 'chosenBy', 'title'])

/** Converts to plain JSON Schema 2020-12. Titled schemas are put into `shared` and referenced. */
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
  const shown = schema['shown'] as TSchema | undefined
  if (shown !== undefined) return { ...described(schema), ...toJsonSchema(shown, shared) }
  const values = literalsOf(schema)
  if (values !== null) return { type: 'string', enum: values, ...described(schema) }
  const result: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (!OWN_KEYWORDS.has(keyword)) result[keyword] = convert(keyword, value, shared)
  }
  // Code generators know maps as additionalProperties.
  const any = (schema['patternProperties'] as Record<string, TSchema> | undefined)?.[ANY_NAME]
  if (any !== undefined) {
    delete result['patternProperties']
    result['additionalProperties'] = Object.keys(any).length === 0 ? true : toJsonSchema(any, shared)
  }
  return withForms(result, formsOf(schema, shared))
}

const ANY_NAME = '^(.*)$'

type Form = { required: string[]; properties: JsonObject }

/** The forms an object takes: what each has instead of the object's own fields of these names. */
function formsOf(schema: TSchema, shared: JsonObject): Form[] {
  const group = schema['exactlyOne'] as readonly string[] | undefined
  const own = schema['properties'] as Record<string, TSchema>
  if (group !== undefined) {
    return group.map((name) => ({
      required: [name],
      properties: Object.fromEntries(
        group.map((other) => [other, other === name ? toJsonSchema(own[name] as TSchema, shared) : false]),
      ),
    }))
  }
  const forms = (schema['forms'] as readonly TSchema[] | undefined) ?? []
  return forms.map(({ properties, required }) => ({
    required: [...(required as string[])],
    properties: convert('properties', properties, shared) as JsonObject,
  }))
}

/**
 * Requests are written out form by form, because closed objects cannot be composed. Responses list the common
 * fields once, without the fields that the forms define: a type of both would be too wide.
 */
function withForms(object: JsonObject, forms: readonly Form[]): JsonObject {
  const [first] = forms
  if (first === undefined) return object
  const decided = Object.keys(first.properties)
  const required = ((object['required'] as string[] | undefined) ?? []).filter(
    (name) => !decided.includes(name),
  )
  const properties = object['properties'] as JsonObject
  if (decided.some((name) => first.properties[name] === false) || object['additionalProperties'] === false) {
    const whole = (form: Form): JsonObject => ({
      ...object,
      required: [...required, ...form.required],
      properties: { ...properties, ...form.properties },
    })
    return { oneOf: forms.map(whole) }
  }
  const open = Object.fromEntries(decided.map((name) => [name, {}]))
  return {
    ...object,
    required,
    properties: { ...properties, ...open },
    oneOf: forms.map((form) => ({ type: 'object', ...form })),
  }
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

/** The values of a union of texts, or null for any other schema. */
export function literalsOf(schema: TSchema): string[] | null {
  const options = schema['anyOf'] as TSchema[] | undefined
  if (options === undefined) return null
  const values = options.map((option) => option['const'] as unknown)
  return values.every((value) => typeof value === 'string') ? (values as string[]) : null
}

const described = (schema: TSchema): JsonObject => ({
  ...(schema['description'] === undefined ? {} : { description: schema['description'] as string }),
  ...(schema['default'] === undefined ? {} : { default: schema['default'] as Json }),
})
