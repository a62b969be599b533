import type { IncomingHttpHeaders } from 'node:http'
import { type AnyRoute, type BucketId, needsKey, type PitError } from '@pit/protocol'
import type { EdgeCaller } from './caller.ts'
import { bucketsByStage } from './rates/charge.ts'
import type { Reply } from './reply.ts'
import { createValidator, type Validator } from './validate.ts'

export interface RouteHandler<Caller extends EdgeCaller> {
  /** Rejects before the body is read. */
  admit?: ((caller: Caller) => void) | undefined
  /** Adds the route's own fields to a refusal. */
  refused?: ((error: PitError) => PitError) | undefined
  handle: (call: { params: unknown; query: unknown; body: unknown; caller: Caller }) => unknown
}

/** A route of the protocol and its handler. */
export interface RouteAt<Caller extends EdgeCaller> extends RouteHandler<Caller> {
  route: AnyRoute
  /** Served under any load. */
  neverShed: boolean
}

/** A route with everything the edge can prepare at start. */
export interface RoutePlan<Caller extends EdgeCaller> extends RouteAt<Caller> {
  kind: 'route'
  name: string
  needsKey: boolean
  bucketsBeforeKey: readonly BucketId[]
  buckets: readonly BucketId[]
  validator: Validator
}

export interface PageAddress {
  /** Path parameters by name. */
  params: Readonly<Record<string, string>>
  /** The query without its question mark. */
  search: string
}
/** A page beside the API: no key, its own content type. */
export interface PagePlan {
  kind: 'page'
  name: string
  reply(headers: IncomingHttpHeaders, at: PageAddress): Reply | Promise<Reply>
}

/** JSON-RPC beside the API: no key, any origin, its own response format. */
export interface RpcPlan<Caller extends EdgeCaller> {
  kind: 'rpc'
  name: string
  handle: (body: unknown, caller: Caller) => Promise<unknown>
}

export type AnyPlan<Caller extends EdgeCaller> = RoutePlan<Caller> | PagePlan | RpcPlan<Caller>

/** Every plan has the same properties in the same order: the edge reads them on each request. */
export function planRoute<Caller extends EdgeCaller>(
  { route, neverShed, handle, admit, refused }: RouteAt<Caller>,
  { devFields }: { devFields: boolean },
): RoutePlan<Caller> {
  const keyed = needsKey(route.auth)
  const stages = bucketsByStage(route, keyed)
  return {
    kind: 'route',
    name: route.id,
    route,
    needsKey: keyed,
    neverShed,
    bucketsBeforeKey: stages.beforeKey,
    buckets: stages.all,
    validator: createValidator(route, { devFields }),
    handle,
    admit,
    refused,
  }
}
