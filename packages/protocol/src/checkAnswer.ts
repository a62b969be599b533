import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ERROR_FIELDS, EXTRA_SCHEMAS } from './errors/extras.ts'
import { extrasOf } from './errors/pitError.ts'
import type { ErrorCode } from './errors/table.ts'
import type { RouteId } from './routes/places.ts'
import { type AnyRoute, routeById } from './routes/table.ts'
import { type Checked, checkWith } from './validate.ts'

const closedAnswers = new Map<RouteId, TSchema>()

/**
 * Checks a response against its route's schema exactly: no missing, mistyped or undocumented field. For tests
 * only; clients must ignore unknown fields.
 */
export function checkAnswer(route: RouteId | AnyRoute, answer: unknown): Checked {
  const { id, answer: schema } = typeof route === 'string' ? routeById(route) : route
  const closed = closedAnswers.get(id) ?? close(schema)
  closedAnswers.set(id, closed)
  return checkWith(closed, answer)
}

/** Checks an error response: it may have only the extras of its code's row. */
export function checkRefusal(error: { readonly code: ErrorCode }): Checked {
  const extras = extrasOf(error.code).map((name) => [name, Type.Optional(close(EXTRA_SCHEMAS[name]))])
  const fields = { code: Type.Literal(error.code), ...ERROR_FIELDS, ...Object.fromEntries(extras) }
  return checkWith(Type.Object(fields, { additionalProperties: false }), error)
}

/** The schema with every object closed, and with the form that the value has. */
function close(schema: TSchema): TSchema {
  const properties = schema['properties'] as TProperties | undefined
  if (properties !== undefined) {
    const forms = (schema['forms'] as readonly TSchema[] | undefined) ?? [Type.Object({})]
    const closed = forms.map((form) =>
      Type.Object(closeAll({ ...properties, ...(form['properties'] as TProperties) }), {
        additionalProperties: false,
      }),
    )
    return { ...schema, ...Type.Union(closed) }
  }
  const maps = schema['patternProperties'] as TProperties | undefined
  return {
    ...schema,
    ...(maps && { patternProperties: closeAll(maps) }),
    ...(schema['items'] !== undefined && { items: close(schema['items'] as TSchema) }),
    ...(schema['anyOf'] !== undefined && { anyOf: (schema['anyOf'] as TSchema[]).map(close) }),
  }
}

const closeAll = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, close(schema)]))
