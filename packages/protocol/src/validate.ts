import type { TSchema } from '@sinclair/typebox'
import { Errors, type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Check } from '@sinclair/typebox/value'
import { nearestName } from './nearestName.ts'

export type Checked =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly code: 'BAD_REQUEST' | 'UNKNOWN_FIELD'
      /** Path of the invalid field: limits.max_trade_usd, raw_txs.0; empty for the whole value. */
      readonly field: string
      readonly message: string
    }

const PASSED: Checked = { ok: true }

/** Checks a value and names the first invalid field. `passes` may be a compiled check of the same schema. */
export function checkWith(
  schema: TSchema,
  value: unknown,
  passes: (value: unknown) => boolean = (candidate) => Check(schema, candidate),
): Checked {
  const variant = chosenVariant(schema, value)
  if (!passes(value) || (variant !== schema && !Check(variant, value))) {
    const error = firstFault(Errors(variant, value))
    if (error !== undefined) return refuse(error, schema)
  }
  return checkExactlyOne(variant, value)
}

/** Fills in defaults of missing fields. Does not modify the input. */
export function withDefaults<T extends object>(schema: TSchema, value: T): T {
  const properties = (chosenVariant(schema, value)['properties'] ?? {}) as Record<string, TSchema>
  let filled = value
  for (const [name, property] of Object.entries(properties)) {
    if (property['default'] === undefined || (value as Record<string, unknown>)[name] !== undefined) continue
    if (filled === value) filled = { ...value }
    ;(filled as Record<string, unknown>)[name] = copyOf(property['default'])
  }
  return filled
}

/** Cloning a primitive takes longer than checking the whole request. */
const copyOf = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value)

/**
 * Checks a union with `chosenBy` by the variant its field selects, so that the error names the right field.
 */
function chosenVariant(schema: TSchema, value: unknown): TSchema {
  const choose = schema['chosenBy'] as { field: string; value?: unknown } | undefined
  if (choose === undefined || typeof value !== 'object' || value === null) return schema
  const selector = (value as Record<string, unknown>)[choose.field]
  const chosen = choose.value === undefined ? selector !== undefined : selector === choose.value
  return (schema['anyOf'] as TSchema[])[chosen ? 0 : 1] as TSchema
}

function checkExactlyOne(schema: TSchema, value: unknown): Checked {
  const names = schema['exactlyOne'] as readonly string[] | undefined
  if (names === undefined || typeof value !== 'object' || value === null) return PASSED
  const present = names.filter((name) => (value as Record<string, unknown>)[name] !== undefined)
  if (present.length === 1) return PASSED
  const field = present[1] ?? names[0] ?? ''
  return { ok: false, code: 'BAD_REQUEST', field, message: `Send exactly one of ${names.join(' and ')}.` }
}

/** Maximum number of errors read in one request. */
const MAX_FAULTS_READ = 100

/** The first error, but unknown fields before others: a misspelt name makes another field missing. */
function firstFault(errors: Iterable<ValueError>): ValueError | undefined {
  let first: ValueError | undefined
  let read = 0
  for (const error of errors) {
    const fault = insideUnion(error)
    if (fault.type === ValueErrorType.ObjectAdditionalProperties) return fault
    first ??= fault
    read += 1
    if (read === MAX_FAULTS_READ) break
  }
  return first
}

/** For a union with one object variant, such as null or a permit: the error inside that object. */
function insideUnion(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union || !isObject(error.value)) return error
  const options = error.schema['anyOf'] as TSchema[]
  const objects = error.errors.filter((_, i) => options[i]?.['properties'] !== undefined)
  return (objects.length === 1 && firstFault(objects[0]!)) || error
}

function refuse(error: ValueError, whole: TSchema): Checked {
  const field = error.path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return { ok: false, code: 'UNKNOWN_FIELD', field, message: unknownField(field, error, whole) }
  }
  const subject = field === '' ? 'The body' : quote(field)
  return { ok: false, code: 'BAD_REQUEST', field, message: `${subject}: ${complaint(error)}.` }
}

/** Suggests the likely name, so that a misspelt limit is corrected rather than dropped. */
function unknownField(field: string, { path, value, schema }: ValueError, whole: TSchema): string {
  const accepted = Object.keys((schema['properties'] ?? {}) as Record<string, TSchema>)
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const refused = `This route does not take ${quote(field)}`
  const choose = whole['chosenBy'] as { field: string; value?: string } | undefined
  const forms = (whole['anyOf'] ?? []) as TSchema[]
  if (choose !== undefined && forms.some((form) => Object.hasOwn(form['properties'] as object, name))) {
    const chooser = choose.value === undefined ? choose.field : `${choose.field} ${choose.value}`
    const isChosen = schema === forms[0]
    return `${refused} ${isChosen ? 'together with' : 'without'} ${quote(chooser)}.`
  }
  const nearest = nearestName(name, accepted)
  if (nearest !== null) return `${refused}: did you mean ${quote(nearest)}?`
  const inside = isObject(value) ? Object.keys(value).filter((inner) => accepted.includes(inner)) : []
  if (inside.length > 0) return `${refused}: send ${inside.map(quote).join(', ')} beside the other fields.`
  return accepted.length === 0 ? `${refused}.` : `${refused}; it takes ${accepted.join(', ')}.`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Field names come from the caller: shown short and without control characters. */
const quote = (field: string): string => `\`${field.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 80)}\``

function complaint({ type, message, schema }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return 'is required'
  if (type === ValueErrorType.Union && Array.isArray(schema['anyOf'])) {
    const values = (schema['anyOf'] as TSchema[]).map((option) => option['const'])
    if (values.every((value) => value !== undefined)) return `must be one of ${values.join(', ')}`
  }
  const wordless = [
    ValueErrorType.StringPattern,
    ValueErrorType.StringFormat,
    ValueErrorType.Union,
    ValueErrorType.Literal,
  ].includes(type)
  if (wordless && typeof schema['description'] === 'string') {
    return `is malformed; expected ${schema['description']}`
  }
  return message.charAt(0).toLowerCase() + message.slice(1)
}
