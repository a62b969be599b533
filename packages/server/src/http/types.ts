import type { ApiKey } from '@pit/auth'
import type { EdgeCaller, RawAnswer } from '@pit/http'
import type { Answer, Body, Params, PitError, Query, RouteId } from '@pit/protocol'

export interface Place {
  /** Stock tokens are not available there, whatever the caller attests. */
  stocksBarred: boolean
}
export type Caller = EdgeCaller<ApiKey, Place>

export interface Call<Id extends RouteId> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Caller
}

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

/** One handler per route: a missing one is a compile error. `createApi` adds the OpenAPI document. */
export type Handlers = {
  [Id in Exclude<RouteId, 'openapi'>]: Handler<Id> | (Id extends GuardedRoute ? GuardedHandler<Id> : never)
}
/** Routes with their own order of refusals. */
type GuardedRoute = 'live.fast'
