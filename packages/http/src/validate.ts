import { type AnyRoute, checkWith, fail, nearestName, withDefaults } from '@pit/protocol'
import type { TProperties, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type JsonObject, printableField } from './parseJson.ts'

export interface Validator {
  params(raw: Record<string, string>): JsonObject
  query(search: string): JsonObject
  body(value: JsonObject): JsonObject
  /** No field of the body is required, so it may be omitted. */
  takesEmptyBody: boolean
}

/** Validates the input of one route against its schemas, compiled at start. */
export function createValidator(route: AnyRoute, { devFields }: { devFields: boolean }): Validator {
  const params = checker(route.params, route)
  const query = checker(route.query, route)
  const body = checker(route.body, route)
  const paramTypes = typesOf(route.params)
  const queryTypes = typesOf(route.query)
  const isDev = ([, code]: [string, string]) => devFields && code === 'DEV_DISABLED'
  const special = Object.entries(route.refusedFields)
  const refused = special.filter((row) => !isDev(row))
  const allowed = special.filter(isDev).map(([field]) => field)
  const emptyQuery = checkWith(route.query, {}).ok ? query({}) : null
  return {
    params: (raw) => (Object.keys(paramTypes).length === 0 ? raw : params(coerce(raw, paramTypes))),
    query(search) {
      if (search === '' && emptyQuery !== null) return emptyQuery
      const raw = readQuery(search)
      if (route.strictQuery) refuseUnknownFields(raw, queryTypes)
      return query(coerce(raw, queryTypes))
    },
    body(value) {
      for (const [field, code] of refused) if (value[field] !== undefined) fail(code, { field })
      const devFields = allowed.filter((field) => value[field] !== undefined)
      if (devFields.length === 0) return body(value)
      // No schema has the development fields.
      const plain = Object.fromEntries(Object.entries(value).filter(([name]) => !devFields.includes(name)))
      return { ...body(plain), ...Object.fromEntries(devFields.map((field) => [field, value[field]])) }
    },
    takesEmptyBody: checkWith(route.body, {}).ok,
  }
}

function refuseUnknownFields(raw: Record<string, string>, known: Record<string, unknown>): void {
  const unknown = Object.keys(raw).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, Object.keys(known))
  fail('BAD_REQUEST', {
    field: printableField(unknown),
    message: `Unknown query field${nearest === null ? '.' : `: did you mean ${nearest}?`}`,
  })
}

function checker(
  schema: TSchema,
  { unknownFieldCode }: Pick<AnyRoute, 'unknownFieldCode'>,
): (value: JsonObject) => JsonObject {
  const compiled = TypeCompiler.Compile(schema)
  const passes = (value: unknown) => compiled.Check(value)
  return (value) => {
    const checked = checkWith(schema, value, passes)
    if (!checked.ok) {
      const code = checked.code === 'UNKNOWN_FIELD' ? unknownFieldCode : checked.code
      fail(code, { field: printableField(checked.field), message: checked.message })
    }
    return withDefaults(schema, value)
  }
}

const typesOf = (schema: TSchema): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries((schema['properties'] ?? {}) as TProperties).map(([name, inner]) => [
      name,
      inner['type'] as string,
    ]),
  )

/** Converts plain numbers and booleans if the schema requires them. */
function coerce(raw: Record<string, string>, types: Record<string, string | undefined>): JsonObject {
  const result: JsonObject = {}
  for (const [name, text] of Object.entries(raw)) {
    const type = types[name]
    if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text))
      result[name] = Number(text)
    else if (type === 'boolean' && (text === 'true' || text === 'false')) result[name] = text === 'true'
    else result[name] = text
  }
  return result
}

/** Parses a query string, strictly: valid percent-encoding, no duplicate field, no control characters. */
export function readQuery(search: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null)
  if (search === '') return result
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query')
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name)
    if (name in result)
      fail('BAD_REQUEST', { field: printableField(name), message: 'A query field appears twice.' })
    if (/[\u0000-\u001f\u007f]/.test(name + value)) {
      fail('BAD_REQUEST', { field: printableField(name), message: 'Control characters are not allowed.' })
    }
    result[name] = value
  }
  return result
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return fail('BAD_REQUEST', { field: printableField(field), message: 'Bad percent-encoding.' })
  }
}
