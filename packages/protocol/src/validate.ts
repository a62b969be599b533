import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'

export type Checked =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly code: 'BAD_REQUEST' | 'UNKNOWN_FIELD'
      /** Path of the field at fault: limits.max_trade_usd, raw_txs.0; empty for the whole value. */
      readonly field: string
      readonly message: string
    }

const PASSED: Checked = { ok: true }

/** Checks a value and names the first field at fault. `passes` may be a compiled check of the same schema. */
export function checkWith(
  schema: TSchema,
  value: unknown,
  passes: (value: unknown) => boolean = (candidate) => Value.Check(schema, candidate),
): Checked {
  const variant = chosenVariant(schema, value)
  if (!passes(value) || (variant !== schema && !Value.Check(variant, value))) {
    const error = Value.Errors(variant, value).First()
    if (error !== undefined) return refuse(error)
  }
  return checkExactlyOne(variant, value)
}

/** Fills in what a request left out and its row has a default for. Never changes the value it was given. */
export function withDefaults<T extends object>(schema: TSchema, value: T): T {
  const properties = (chosenVariant(schema, value)['properties'] ?? {}) as Record<string, TSchema>
  let filled = value
  for (const [name, property] of Object.entries(properties)) {
    if (property['default'] === undefined || (value as Record<string, unknown>)[name] !== undefined) continue
    if (filled === value) filled = { ...value }
    ;(filled as Record<string, unknown>)[name] = structuredClone(property['default'])
  }
  return filled
}

/**
 * A union with `chosenBy` is judged by the variant its field selects, so that the field named is the one at
 * fault.
 */
function chosenVariant(schema: TSchema, value: unknown): TSchema {
  const choose = schema['chosenBy'] as { field: string; value?: unknown } | undefined
  if (choose === undefined || typeof value !== 'object' || value === null) return schema
  const given = (value as Record<string, unknown>)[choose.field]
  const chosen = choose.value === undefined ? given !== undefined : given === choose.value
  return (schema['anyOf'] as TSchema[])[chosen ? 0 : 1] as TSchema
}

function checkExactlyOne(schema: TSchema, value: unknown): Checked {
  const names = schema['exactlyOne'] as readonly string[] | undefined
  if (names === undefined || typeof value !== 'object' || value === null) return PASSED
  const given = names.filter((name) => (value as Record<string, unknown>)[name] !== undefined)
  if (given.length === 1) return PASSED
  const field = given[1] ?? names[0] ?? ''
  return { ok: false, code: 'BAD_REQUEST', field, message: `Send exactly one of ${names.join(' and ')}.` }
}

function refuse(error: ValueError): Checked {
  const field = error.path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return { ok: false, code: 'UNKNOWN_FIELD', field, message: `This route does not take ${quote(field)}.` }
  }
  const subject = field === '' ? 'The body' : quote(field)
  return { ok: false, code: 'BAD_REQUEST', field, message: `${subject}: ${complaint(error)}.` }
}

/** Field names come from the caller: shown short and without control characters. */
const quote = (field: string): string => `\`${field.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 80)}\``

function complaint({ type, message, schema }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return 'is required'
  if (type === ValueErrorType.Union && Array.isArray(schema['anyOf'])) {
    const values = (schema['anyOf'] as TSchema[]).map((option) => option['const'])
    if (values.every((value) => value !== undefined)) return `must be one of ${values.join(', ')}`
  }
  const wordless = [ValueErrorType.StringPattern, ValueErrorType.Union, ValueErrorType.Literal].includes(type)
  if (wordless && typeof schema['description'] === 'string') {
    return `is malformed; expected ${schema['description']}`
  }
  return message.charAt(0).toLowerCase() + message.slice(1)
}
