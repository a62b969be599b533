import { type AnyRoute, checkWith, fail, type RefusalCode } from '@pit/protocol'
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
  const queryTypes = typesOf(route.query)
  const queryDefaults = defaultsOf(route.query)
  const bodyDefaults = defaultsOf(route.body)
  const refuseReserved = reservedFields(route, devFields)
  const ownsQuery = Object.keys(propertiesOf(route.query))
  return {
    params: (raw) => params(coerce(raw, typesOf(route.params))),
    query(search) {
      if (search === '' && queryDefaults === null) return query({})
      const raw = readQuery(search)
      if (route.strictQuery) {
        const stranger = Object.keys(raw).find((name) => !ownsQuery.includes(name))
        if (stranger !== undefined) {
          fail('BAD_REQUEST', {
            field: shownField(stranger),
            message: 'This route does not take this query field.',
          })
        }
      }
      return query({ ...queryDefaults, ...coerce(raw, queryTypes) })
    },
    body(value) {
      refuseReserved?.(value)
      return body(bodyDefaults === null ? value : { ...bodyDefaults, ...value })
    },
    takesEmptyBody: checkWith(route.body, { ...bodyDefaults }).ok,
  }
}

function checker(schema: TSchema): (value: JsonObject) => JsonObject {
  const compiled = TypeCompiler.Compile(schema)
  const passes = (value: unknown) => compiled.Check(value)
  return (value) => {
    const checked = checkWith(schema, value, passes)
    if (!checked.ok) fail(checked.code, { field: shownField(checked.field), message: checked.message })
    return value
  }
}

const propertiesOf = (schema: TSchema): TProperties => (schema['properties'] ?? {}) as TProperties

const typesOf = (schema: TSchema): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, inner]) => [name, inner['type'] as string]),
  )

function defaultsOf(schema: TSchema): JsonObject | null {
  const rows = Object.entries(propertiesOf(schema)).filter(([, inner]) => inner['default'] !== undefined)
  return rows.length === 0 ? null : Object.fromEntries(rows.map(([name, inner]) => [name, inner['default']]))
}

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

/** The fields a trading request may name only to be refused, or only in development. */
function reservedFields(route: AnyRoute, devFields: boolean): ((value: JsonObject) => void) | null {
  const owns = propertiesOf(route.body)
  if (route.area !== 'live' && route.area !== 'sessions') return null
  const rows: { field: string; code: RefusalCode }[] = []
  if (!('fee_bps' in owns)) rows.push({ field: 'fee_bps', code: 'FEE_FIXED' as RefusalCode })
  if (!devFields)
    for (const field of ['fee_recipient', 'assume_state']) rows.push({ field, code: 'DEV_DISABLED' })
  return (value) => {
    for (const { field, code } of rows) if (value[field] !== undefined) fail(code, { field })
  }
}
