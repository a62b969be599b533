import { useQuery } from '@tanstack/react-query'

/** The parts of an OpenAPI document that this page reads. */
export interface Schema {
  type?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  maxLength?: number
  enum?: unknown[]
  anyOf?: { const?: unknown; enum?: unknown[] }[]
  properties?: Record<string, Schema>
  required?: string[]
}
interface OpenApi {
  components?: { schemas?: Record<string, Schema> }
}

/** The server's OpenAPI document; it changes only with the server version. */
export const useOpenApi = () =>
  useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }): Promise<OpenApi> => {
      const answer = await fetch('/api/v1/openapi.json', { signal })
      if (!answer.ok)
        throw new Error(`The OpenAPI document could not be loaded (HTTP status ${answer.status}).`)
      return answer.json()
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The allowed values of a schema, if listed. */
export const valuesOf = ({ enum: values, anyOf }: Schema): string[] =>
  (values ?? anyOf?.flatMap((one) => one.enum ?? (one.const === undefined ? [] : [one.const])) ?? []).map(
    String,
  )
