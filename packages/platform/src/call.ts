import type { Answer, Body, BucketId, Params, PitError, Query, RouteId } from '@pit/protocol'

/** Who calls, once the edge has let the request in. */
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
}

export interface Call<Id extends RouteId> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Caller
}

/** Text already serialised: constant answers skip the serialiser. */
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

/** A handler whose route has something to say before its body is read, or about what the edge refuses for it. */
export interface GuardedHandler<Id extends RouteId> {
  handle: Handler<Id>
  /** Refuses by throwing, once the caller is known and before anything of the body is read. */
  admit?(caller: Caller): void
  /** What is answered for a refusal of this route, whoever refused. */
  refused?(error: PitError): PitError
}

/**
 * One handler per route: a missing one is a compile error. 'not built' answers the area's documented 503. The OpenAPI
 * document is the edge's own.
 */
export type Handlers = {
  [Id in Exclude<RouteId, 'openapi'>]:
    | Handler<Id>
    | (Id extends GuardedRoute ? GuardedHandler<Id> : never)
    | 'not built'
}
/** Routes whose refusals have an order of their own. */
type GuardedRoute = 'live.fast'

/** Draws from buckets a handler only knows to apply once it has read the request (a route's `lateBuckets`). */
export type Charge = (caller: Caller, buckets: readonly BucketId[]) => Promise<void>
