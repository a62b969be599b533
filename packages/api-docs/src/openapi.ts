import {
  type AnyRoute,
  BUCKETS,
  ERROR_FIELDS,
  ERRORS,
  type ErrorCode,
  EXTRA_SCHEMAS,
  EXTRAS,
  errorRow,
  extrasOf,
  needsKey,
  ROUTE_IDS,
  routeById,
} from '@pit/protocol'
import { Type } from '@sinclair/typebox'
import { exampleBody } from './example.ts'
import { type Json, type JsonObject, toJsonSchema } from './jsonSchema.ts'

const TAGS = {
  server: 'The service itself: config, health, stats, treasury.',
  auth: 'Wallet sign-in and API keys.',
  tokens: 'The token registry.',
  live: 'Quote, plan, simulate, relay.',
  sessions: 'Bounded trading by an executor, co-signed.',
  hosted: 'Agents the service runs.',
  account: "The key's own wallet.",
  league: 'The trading league.',
} as const

/** The whole API as an OpenAPI 3.1 document, from the route table alone. */
export function openApi({ version, serverUrl }: { version: string; serverUrl: string }): JsonObject {
  const shared: Shared = { schemas: {}, responses: {} }
  shared.schemas['Error'] = envelope(errorFields(Object.keys(ERRORS) as ErrorCode[], shared.schemas))
  const paths: { [path: string]: JsonObject } = {}
  for (const id of ROUTE_IDS) {
    const route = routeById(id)
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, shared) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pit',
      version,
      description: 'A non-custodial trading API for software agents on EVM chain 4663.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...shared,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'pit_w_…, from POST auth/verify' },
      },
      headers: {
        RetryAfter: { description: 'seconds to wait', schema: { type: 'integer', minimum: 1 } },
        RequestId: { description: 'id of this request in the logs', schema: { type: 'string' } },
      },
    },
  }
}

/** Components shared by routes: named objects and identical error responses. */
type Shared = { schemas: JsonObject; responses: JsonObject }

function operation(route: AnyRoute, shared: Shared): JsonObject {
  const { schemas } = shared
  return {
    operationId: route.id.replaceAll('.', '_'),
    summary: route.summary,
    tags: [route.area],
    security: needsKey(route.auth) ? [{ apiKey: [] }] : [],
    'x-auth': route.auth,
    'x-rate-limit': [...route.buckets, ...route.lateBuckets].map((id) => ({
      id,
      per: BUCKETS[id].per,
      burst: BUCKETS[id].burst,
      rate_per_s: BUCKETS[id].ratePerS,
      always: route.buckets.includes(id),
    })),
    ...(route.ours ? { 'x-ours': true } : {}),
    ...(route.strictFields ? { 'x-strict-fields': true } : {}),
    parameters: [...parameters(route, 'path', schemas), ...parameters(route, 'query', schemas)],
    ...(route.takesBody ? { requestBody: requestBody(route, schemas) } : {}),
    responses: responses(route, shared),
  }
}

function parameters(route: AnyRoute, where: 'path' | 'query', schemas: JsonObject): Json[] {
  const schema = where === 'path' ? route.params : route.query
  const required = new Set((schema['required'] as readonly string[] | undefined) ?? [])
  return Object.entries((schema['properties'] ?? {}) as Record<string, AnyRoute['body']>).map(
    ([name, property]) => ({
      name,
      in: where,
      required: where === 'path' || required.has(name),
      description: (property['description'] as string | undefined) ?? '',
      schema: toJsonSchema(property, schemas),
    }),
  )
}

const requestBody = (route: AnyRoute, schemas: JsonObject): JsonObject => ({
  required: true,
  content: {
    'application/json': {
      schema: toJsonSchema(route.body, schemas),
      example: exampleBody(route) as JsonObject,
    },
  },
})

function responses(route: AnyRoute, shared: Shared): JsonObject {
  const result: JsonObject = {
    [route.status]: {
      description: 'done',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
      content: { 'application/json': { schema: toJsonSchema(route.answer, shared.schemas) } },
    },
  }
  for (const [status, codes] of codesByStatus(route)) {
    const named = codes.filter((code) => route.byContract.includes(code))
    const refused = refusals(Number(status), { codes, named }, shared.schemas)
    const when = route.statusWhen[Number(status)]
    if (when === undefined) {
      const name = responseName(status, refused, codes, shared.responses)
      shared.responses[name] ??= refused
      result[status] = { $ref: `#/components/responses/${name}` }
    } else {
      const answer = toJsonSchema(route.answer, shared.schemas)
      result[status] = {
        ...refused,
        description: `the answer, when ${when}; or ${codes.join(', ')}`,
        content: { 'application/json': { schema: { anyOf: [answer, errorSchema(codes, shared.schemas)] } } },
      }
    }
  }
  return result
}

/** One code names its response; several, and those with marks, are numbered by their status. */
function responseName(
  status: string,
  { description: text, 'x-by-contract': named }: JsonObject,
  [only, ...others]: readonly ErrorCode[],
  known: JsonObject,
): string {
  if (others.length === 0 && named === undefined) return `${only}_${status}`
  for (let number = 1; ; number++) {
    const name = `Refused_${status}_${number}`
    const existing = known[name] as JsonObject | undefined
    if (existing === undefined || existing['description'] === text) return name
  }
}

/** The codes of a route by the status each has there. */
export function codesByStatus(route: AnyRoute): [status: string, codes: ErrorCode[]][] {
  const byStatus: { [status: string]: ErrorCode[] } = {}
  for (const code of route.errors) {
    for (const status of route.statusOf[code] ?? errorRow(code).statuses) {
      byStatus[status] = [...(byStatus[status] ?? []), code]
    }
  }
  return Object.entries(byStatus)
}

/** `named`: codes that the contract names for the route and that this server does not return there. */
const refusals = (
  status: number,
  { codes, named }: { codes: readonly ErrorCode[]; named: readonly ErrorCode[] },
  schemas: JsonObject,
): JsonObject => ({
  description:
    codes.join(', ') +
    (named.length === 0 ? '' : `. Named by the contract, not returned here: ${named.join(', ')}`),
  ...(named.length === 0 ? {} : { 'x-by-contract': [...named] }),
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ...(status === 429 || status === 503
      ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
      : {}),
  },
  content: {
    'application/json': {
      schema: errorSchema(codes, schemas),
    },
  },
})

const errorSchema = (codes: readonly ErrorCode[], schemas: JsonObject): JsonObject =>
  envelope({ oneOf: byExtras(codes).map((alike) => errorFields(alike, schemas)) })

/** Groups codes with the same extras, so that a code determines the possible fields. */
function byExtras(codes: readonly ErrorCode[]): ErrorCode[][] {
  const alike = new Map<string, ErrorCode[]>()
  for (const code of codes) {
    const key = extrasOf(code).sort().join()
    alike.set(key, [...(alike.get(key) ?? []), code])
  }
  return [...alike.values()]
}

const envelope = (error: JsonObject): JsonObject => ({
  type: 'object',
  required: ['error'],
  properties: { error },
})

function errorFields(codes: readonly ErrorCode[], schemas: JsonObject): JsonObject {
  const names = [...new Set(codes.flatMap(extrasOf))]
  const { required, properties } = toJsonSchema(Type.Object(ERROR_FIELDS), schemas) as {
    required: Json[]
    properties: JsonObject
  }
  return {
    type: 'object',
    required: ['code', ...required],
    properties: {
      code: { type: 'string', enum: [...codes], description: 'stable; branch on it' },
      ...properties,
      ...Object.fromEntries(
        names.map((name) => [
          name,
          { description: EXTRAS[name], ...toJsonSchema(EXTRA_SCHEMAS[name], schemas) },
        ]),
      ),
    },
  }
}
