import type { Answer, Body, BucketId, Params, PitError, Query, RouteId } from '@pit/protocol'

/** The key of an admitted request. */
export interface ApiKey {
  keyId: number
  accountId: number
  /** Lower case, or null for a key without a wallet. */
  wallet: `0x${string}` | null
  expiresAtS: number
}

export interface Caller {
  requestId: string
  /** The client's address: the socket's, or the right-most untrusted hop behind a trusted proxy. */
  address: string
  key: ApiKey | null
  /** The caller is where stock tokens are not available, whatever it attests. */
  stocksBarred?: boolean
}

export interface Call<Id extends RouteId> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Caller
}

/** A serialised response. */
export interface RawAnswer {
  serialised: string | Buffer
  contentType?: string
  /** Overrides the route's status: health responds with 503 when down. */
  status?: number
}
export const isRawAnswer = (answer: unknown): answer is RawAnswer =>
  typeof answer === 'object' && answer !== null && 'serialised' in answer

export type Handler<Id extends RouteId> = (
  call: Call<Id>,
) => Promise<Answer<Id> | RawAnswer> | Answer<Id> | RawAnswer

/** A handler whose route rejects before its body is read, or extends the edge's refusals. */
export interface GuardedHandler<Id extends RouteId> {
  handle: Handler<Id>
  /** Rejects by throwing, once the caller is known and before the body is read. */
  admit?(caller: Caller): void
  /** Replaces any refusal of this route, the edge's too. */
  refused?(error: PitError): PitError
}

/** One handler per route: a missing one is a compile error. The edge itself serves the OpenAPI document. */
export type Handlers = {
  [Id in Exclude<RouteId, 'openapi'>]: Handler<Id> | (Id extends GuardedRoute ? GuardedHandler<Id> : never)
}
/** Routes with their own order of refusals. */
type GuardedRoute = 'live.fast'

/** Draws from a route's `lateBuckets`, which apply only once the handler has read the request. */
export type Charge = (caller: Caller, buckets: readonly BucketId[]) => Promise<void>
