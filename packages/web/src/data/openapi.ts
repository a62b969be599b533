import { visibleText } from '@pit/protocol'
import { useQuery } from '@tanstack/react-query'
import { readStored } from './stored.ts'

/** The parts of an OpenAPI document that this page reads. */
export interface Schema {
  type?: string
  description?: string
  default?: unknown
  enum?: unknown[]
  anyOf?: { const?: unknown; enum?: unknown[] }[]
  properties?: Record<string, Schema>
}
interface OpenApi {
  components?: { schemas?: Record<string, Schema> }
}

type Primitive = string | number | boolean
const isPrimitive = (value: unknown): value is Primitive =>
  ['string', 'number', 'boolean'].includes(typeof value)
const objectOr = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
const primitivesIn = (value: unknown): Primitive[] => (Array.isArray(value) ? value.filter(isPrimitive) : [])

function schemaIn(value: unknown): Schema {
  const { type, description, default: usual, enum: values, anyOf, properties } = objectOr(value)
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof description === 'string' && { description: visibleText(description, 300) }),
    ...(isPrimitive(usual) && { default: usual }),
    ...(Array.isArray(values) && { enum: primitivesIn(values) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(choiceIn) }),
    ...(properties !== undefined && { properties: mapIn(properties, schemaIn) }),
  }
}

function choiceIn(value: unknown): NonNullable<Schema['anyOf']>[number] {
  const { const: one, enum: values } = objectOr(value)
  return {
    ...(isPrimitive(one) && { const: one }),
    ...(Array.isArray(values) && { enum: primitivesIn(values) }),
  }
}

const mapIn = <T>(value: unknown, read: (one: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(objectOr(value)).map(([name, one]) => [name, read(one)]))

const openApiIn = (value: unknown): OpenApi => ({
  components: { schemas: mapIn(objectOr(objectOr(value)['components'])['schemas'], schemaIn) },
})

/** The server's OpenAPI document; it changes only with the server version. */
export const useOpenApi = () =>
  useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }): Promise<OpenApi> => {
      return (await readStored('/api/v1/openapi.json', openApiIn, signal)) ?? {}
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The allowed values of a schema, if listed. */
export const valuesOf = ({ enum: values, anyOf }: Schema): string[] =>
  (values ?? anyOf?.flatMap((one) => one.enum ?? (one.const === undefined ? [] : [one.const])) ?? []).map(
    String,
  )
