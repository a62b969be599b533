import type { IncomingHttpHeaders } from 'node:http'
import { type AnyRoute, type BucketId, needsKey, type PitError } from '@pit/protocol'
import { bucketsByStage } from './rates/charge.ts'
import type { Reply } from './reply.ts'
import type { ApiKey, Caller } from './types.ts'
import { createValidator, type Validator } from './validate.ts'

/** A route with everything the edge can prepare at start. */
export interface RoutePlan {
  kind: 'route'
  name: string
  route: AnyRoute
  needsKey: boolean
  needsWallet: boolean
  /** Health responds under any load. */
  neverShed: boolean
  bucketsBeforeKey: readonly BucketId[]
  buckets: readonly BucketId[]
  validator: Validator
  /** Rejects before the body is read. */
  admit?: (caller: Caller) => void
  /** Adds the route's own fields to a refusal. */
  refused?: (error: PitError) => PitError
  handle: (call: { params: unknown; query: unknown; body: unknown; caller: Caller }) => unknown
}

/** A page beside the API: the dashboard and its files, the reference, llms.txt. */
export interface PageAddress {
  /** Path parameters by name. */
  params: Readonly<Record<string, string>>
  /** The query without its question mark. */
  search: string
}
export interface PagePlan {
  kind: 'page'
  name: string
  reply(headers: IncomingHttpHeaders, at: PageAddress): Reply | Promise<Reply>
}

/** The wallets' JSON-RPC beside the API: no key, any origin, its own response format. */
export interface RpcPlan {
  kind: 'rpc'
  name: string
  handle: (body: unknown, caller: Caller) => Promise<unknown>
}

export type AnyPlan = RoutePlan | PagePlan | RpcPlan

type Handle = RoutePlan['handle']
export type AnyHandler = Handle | Pick<RoutePlan, 'handle' | 'admit' | 'refused'>
/** `known` accepts only keys this process has seen valid before; `any` queries the store for others. */
export type Authenticate = (bearer: string, which: 'known' | 'any') => Promise<ApiKey | null> | ApiKey | null

export function planRoute(
  route: AnyRoute,
  handler: AnyHandler,
  { devFields }: { devFields: boolean },
): RoutePlan {
  const keyed = needsKey(route.auth)
  const stages = bucketsByStage(route, keyed)
  return {
    kind: 'route',
    name: route.id,
    route,
    needsKey: keyed,
    needsWallet: route.auth === 'wallet' || route.auth === 'owner',
    neverShed: (route.id as string) === 'health',
    bucketsBeforeKey: stages.beforeKey,
    buckets: stages.all,
    validator: createValidator(route, { devFields }),
    ...(typeof handler === 'function' ? { handle: handler } : handler),
  }
}
