import { type AnyRoute, checkWith, fail, withDefaults } from '@pit/protocol'
import type { TProperties, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type JsonObject, shownField } from './parseJson.ts'

export interface Validator {
  params(raw: Record<string, string>): JsonObject
  query(search: string): JsonObject
  body(value: JsonObject): JsonObject
  /** The body may be left out: nothing in it is required. */
  takesEmptyBody: boolean
}

/** Checks one route's input against its row; compiled once, at start. */
export function createValidator(route: AnyRoute, { devFields }: { devFields: boolean }): Validator {
  const params = checker(route.params)
  const query = checker(route.query)
  const body = checker(route.body)
  const paramTypes = typesOf(route.params)
  const queryTypes = typesOf(route.query)
  const refused = Object.entries(route.refusedFields).filter(
    ([, code]) => !(devFields && code === 'DEV_DISABLED'),
  )
  const nothing = checkWith(route.query, {}).ok ? query({}) : null
  return {
    params: (raw) => (Object.keys(paramTypes).length === 0 ? raw : params(coerce(raw, paramTypes))),
    query(search) {
      if (search === '' && nothing !== null) return nothing
      const raw = readQuery(search)
      if (route.strictQuery) refuseStrangers(raw, queryTypes)
      return query(coerce(raw, queryTypes))
    },
    body(value) {
      for (const [field, code] of refused) if (value[field] !== undefined) fail(code, { field })
      return body(value)
    },
    takesEmptyBody: checkWith(route.body, {}).ok,
  }
}

function refuseStrangers(raw: Record<string, string>, known: Record<string, unknown>): void {
  const stranger = Object.keys(raw).find((name) => !Object.hasOwn(known, name))
  if (stranger === undefined) return
  fail('BAD_REQUEST', { field: shownField(stranger), message: 'This route does not take this query field.' })
}

function checker(schema: TSchema): (value: JsonObject) => JsonObject {
  const compiled = TypeCompiler.Compile(schema)
  const passes = (value: unknown) => compiled.Check(value)
  return (value) => {
    const checked = checkWith(schema, value, passes)
    if (!checked.ok) fail(checked.code, { field: shownField(checked.field), message: checked.message })
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

/** Text becomes a number or a flag only where the row asks for one, and only when written plainly. */
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

/** A query string, strictly: sound percent-encoding, no field twice, no control characters. */
export function readQuery(search: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null)
  if (search === '') return result
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query')
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1), name)
    if (name in result)
      fail('BAD_REQUEST', { field: shownField(name), message: 'A query field appears twice.' })
    if (/[\u0000-\u001f\u007f]/.test(name + value)) {
      fail('BAD_REQUEST', { field: shownField(name), message: 'Control characters are not allowed.' })
    }
    result[name] = value
  }
  return result
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return fail('BAD_REQUEST', { field: shownField(field), message: 'Bad percent-encoding.' })
  }
}
