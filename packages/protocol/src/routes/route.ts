import { type TSchema, Type } from '@sinclair/typebox'
import type { ErrorCode, RefusalCode } from '../errors/table.ts'
import type { BucketId } from '../rates.ts'

/**
 * none: public. key: any valid key. wallet: a key bound to a wallet. owner: the key of the wallet that
 * created the agent. session: the key of the session's wallet or executor. wallet_when_given: must be bound
 * to `wallet` if that is sent. signature: a wallet signature in the body, no key.
 */
export type Auth = 'none' | 'key' | 'wallet' | 'owner' | 'session' | 'wallet_when_given' | 'signature'

/** The error of a route while its feature is not running. */
export const AREAS = {
  server: 'ENGINE_UNAVAILABLE',
  auth: 'ENGINE_UNAVAILABLE',
  tokens: 'REGISTRY_UNAVAILABLE',
  live: 'LIVE_UNAVAILABLE',
  sessions: 'SESSIONS_UNAVAILABLE',
  hosted: 'HOSTED_UNAVAILABLE',
  account: 'LIVE_UNAVAILABLE',
  league: 'LEAGUE_UNAVAILABLE',
} as const satisfies Record<string, ErrorCode>
export type Area = keyof typeof AREAS

/** For routes without fields in this place. */
export const NO_FIELDS = Type.Object({})
const EXACTLY_NO_FIELDS = Type.Object({}, { additionalProperties: false })
type NoFields = typeof NO_FIELDS

export type Route<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  A extends TSchema = TSchema,
> = {
  readonly method: 'GET' | 'POST'
  /** Below /api/v1/, parameters as `:name`. */
  readonly path: string
  readonly area: Area
  readonly auth: Auth
  /** Rate limits charged before the body is read, in this order. */
  readonly buckets: readonly BucketId[]
  /** Rate limits charged by the handler if they apply. */
  readonly lateBuckets: readonly BucketId[]
  readonly status: 200 | 201
  /** Other statuses with the normal response body, and when. */
  readonly statusWhen: { readonly [status: number]: string }
  /** Unknown fields are rejected with `unknownFieldCode` instead of ignored. */
  readonly strictFields: boolean
  /** UNKNOWN_FIELD on hosted and league routes; BAD_REQUEST with the nearest known name on live/*. */
  readonly unknownFieldCode: 'UNKNOWN_FIELD' | 'BAD_REQUEST'
  /** Unknown query fields are BAD_REQUEST instead of ignored. */
  readonly strictQuery: boolean
  /** Also served to keys of sanctioned wallets, so that they can end what they started. */
  readonly sanctionedKeyAllowed: boolean
  /** Multi-line text fields: line breaks and tabs are allowed, other control characters are not. */
  readonly multilineFields: readonly string[]
  /**
   * Fields that are named only to be refused, and with what. DEV_DISABLED ones pass where DEV_FIELDS is on.
   */
  readonly refusedFields: { readonly [field: string]: RefusalCode }
  /** Not in the contract. */
  readonly ours: boolean
  readonly summary: string
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly takesBody: boolean
  readonly answer: A
  /** All possible error codes, including those of HTTP handling. */
  readonly errors: readonly ErrorCode[]
  /** Those of them that the contract names for this route and that this server never returns on it. */
  readonly byContract: readonly ErrorCode[]
  /** Statuses of codes that differ from the code's default on this route. */
  readonly statusOf: { readonly [Code in ErrorCode]?: readonly number[] }
}

export type RouteDraft<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> = Pick<
  Route<P, Q, B, A>,
  'method' | 'path' | 'area' | 'auth' | 'summary' | 'answer'
> &
  Partial<
    Pick<
      Route<P, Q, B, A>,
      | 'buckets'
      | 'lateBuckets'
      | 'status'
      | 'statusWhen'
      | 'strictFields'
      | 'strictQuery'
      | 'sanctionedKeyAllowed'
      | 'ours'
      | 'multilineFields'
      | 'refusedFields'
      | 'params'
      | 'query'
      | 'body'
      | 'errors'
      | 'byContract'
      | 'statusOf'
    >
  >

/** Fills in a row's defaults and adds the codes common to routes of its kind. */
export function route<
  A extends TSchema,
  P extends TSchema = NoFields,
  Q extends TSchema = NoFields,
  B extends TSchema = NoFields,
>(draft: RouteDraft<P, Q, B, A>): Route<P, Q, B, A> {
  const strictFields = draft.strictFields ?? false
  const unknownFieldCode = draft.path.startsWith('live/') ? 'BAD_REQUEST' : 'UNKNOWN_FIELD'
  const nothing = strictFields ? EXACTLY_NO_FIELDS : NO_FIELDS
  const named = draft.byContract ?? []
  const errors = [
    ...new Set([
      ...(draft.errors ?? []),
      ...named,
      ...Object.values(draft.refusedFields ?? {}),
      ...edgeErrors(draft.method, draft.auth, strictFields ? unknownFieldCode : null),
      AREAS[draft.area],
    ]),
  ]
  return {
    method: draft.method,
    path: draft.path,
    area: draft.area,
    auth: draft.auth,
    buckets: [...(draft.buckets ?? []), ...(needsKey(draft.auth) ? (['key'] as const) : [])],
    lateBuckets: draft.lateBuckets ?? [],
    status: draft.status ?? 200,
    statusWhen: draft.statusWhen ?? {},
    strictFields,
    unknownFieldCode,
    strictQuery: draft.strictQuery ?? false,
    sanctionedKeyAllowed: draft.sanctionedKeyAllowed ?? false,
    ours: draft.ours ?? false,
    multilineFields: draft.multilineFields ?? [],
    refusedFields: draft.refusedFields ?? {},
    summary: draft.summary,
    params: draft.params ?? (NO_FIELDS as TSchema as P),
    query: draft.query ?? (nothing as TSchema as Q),
    body: draft.body ?? (nothing as TSchema as B),
    takesBody: draft.body !== undefined,
    answer: draft.answer,
    errors,
    // Every key of this server is bound to a wallet.
    byContract: errors.filter((code) => named.includes(code) || code === 'WALLET_NOT_BOUND'),
    statusOf: draft.statusOf ?? {},
  }
}

export const needsKey = (auth: Auth): boolean => auth !== 'none' && auth !== 'signature'

function edgeErrors(method: 'GET' | 'POST', auth: Auth, unknownField: ErrorCode | null): ErrorCode[] {
  const codes: ErrorCode[] = ['BAD_REQUEST']
  if (unknownField !== null) codes.push(unknownField)
  if (needsKey(auth)) codes.push('UNAUTHORIZED', 'SANCTIONED')
  if (auth === 'wallet' || auth === 'owner') codes.push('WALLET_NOT_BOUND')
  if (auth === 'owner') codes.push('FORBIDDEN')
  if (method === 'POST') codes.push('LENGTH_REQUIRED', 'CSRF_REFUSED')
  codes.push('NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNKNOWN_HOST', 'COUNTRY_BLOCKED', 'RATE_LIMITED')
  codes.push('ENGINE_UNAVAILABLE')
  return codes
}
