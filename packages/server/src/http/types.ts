import type { Answer, Body, BucketId, Params, PitError, Query, RouteId } from '@pit/protocol'

/** The key of a request that the edge has admitted. */
export interface ApiKey {
  keyId: number
  accountId: number
  /** Lower-case, or null for a key bound to no wallet. */
  wallet: `0x${string}` | null
  expiresAtS: number
}

export interface Caller {
  requestId: string
  /** The client's address: the socket's, or the right-most untrusted hop behind a trusted proxy. */
  address: string
  key: ApiKey | null
  /** It calls from where stock tokens are not traded: its word to the contrary does not count. */
  stocksBarred?: boolean
}

export interface Call<Id extends RouteId> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Caller
}

/** An answer already serialised. */
export interface RawAnswer {
  serialised: string | Buffer
  contentType?: string
  /** Instead of the route's own: health answers 503 when down. */
  status?: number
}
export const isRawAnswer = (answer: unknown): answer is RawAnswer =>
  typeof answer === 'object' && answer !== null && 'serialised' in answer

export type Handler<Id extends RouteId> = (
  call: Call<Id>,
) => Promise<Answer<Id> | RawAnswer> | Answer<Id> | RawAnswer

/** A handler whose route refuses before its body is read, or adds to what the edge refuses. */
export interface GuardedHandler<Id extends RouteId> {
  handle: Handler<Id>
  /** Refuses by throwing, once the caller is known and before the body is read. */
  admit?(caller: Caller): void
  /** Replaces any refusal of this route, also the edge's. */
  refused?(error: PitError): PitError
}

/**
 * One handler per route: a missing one is a compile error. 'not built' answers the area's documented 503.
 * The edge itself answers with the OpenAPI document.
 */
export type Handlers = {
  [Id in Exclude<RouteId, 'openapi'>]:
    | Handler<Id>
    | (Id extends GuardedRoute ? GuardedHandler<Id> : never)
    | 'not built'
}
/** Routes that refuse in an order of their own. */
type GuardedRoute = 'live.fast'

/** Draws from a route's `lateBuckets`, which apply only once the handler has read the request. */
export type Charge = (caller: Caller, buckets: readonly BucketId[]) => Promise<void>
