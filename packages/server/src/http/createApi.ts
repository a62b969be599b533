import type { ApiKey } from '@pit/auth'
import { type App, type AppDeps, createApp, type RouteAt, type RouteHandler } from '@pit/http'
import type { Activity } from '@pit/platform/jobs'
import { fail, ROUTE_IDS, routeById } from '@pit/protocol'
import type { Config } from '../config.ts'
import { apiPages, openApiAnswer } from '../site/apiPages.ts'
import { createGate, type GateDeps } from './gate.ts'
import type { Caller, Handlers, Place } from './types.ts'

type Edge = AppDeps<ApiKey, Place>

export interface ApiDeps
  extends Omit<Edge, 'config' | 'gate' | 'routes' | 'pages' | 'rpc'>,
    Omit<GateDeps, 'config'> {
  config: Edge['config'] & GateDeps['config'] & Pick<Config, 'publicUrl'>
  handlers: Handlers
  activity?: Pick<Activity, 'note'> | undefined
  walletRpc: (body: unknown, caller: Caller) => Promise<unknown>
  /** The server's version, shown in the reference. */
  version: string
  /** The dashboard and other pages. */
  site?: Edge['pages']
}

/** The HTTP API: Pit's routes, pages and rules on the edge. */
export function createApi({ handlers, walletRpc, activity, version, site = [], ...deps }: ApiDeps): App {
  const about = { version, publicUrl: deps.config.publicUrl }
  const openapi = openApiAnswer(about)
  const all = { ...handlers, openapi: () => openapi }
  return createApp({
    ...deps,
    gate: createGate(deps),
    routes: ROUTE_IDS.map((id) => routeAt(id, all[id] as AnyHandler, activity)),
    pages: [...apiPages(about), ...site],
    rpc: [
      {
        path: '/rpc',
        name: 'rpc',
        async handle(body, caller) {
          await activity?.note()
          return walletRpc(body, caller)
        },
      },
    ],
  })
}

type AnyHandler = RouteHandler<Caller> | RouteHandler<Caller>['handle']

function routeAt(
  id: (typeof ROUTE_IDS)[number],
  handler: AnyHandler,
  activity: ApiDeps['activity'],
): RouteAt<Caller> {
  const route = routeById(id)
  const plain = typeof handler === 'function' ? { handle: handler } : handler
  // A monitor is not a user.
  const own = id === 'health' ? plain : { ...plain, handle: noting(activity, plain.handle) }
  const at = { ...own, route, neverShed: id === 'health' }
  if (route.auth !== 'wallet' && route.auth !== 'owner') return at
  return {
    ...at,
    admit(caller) {
      if (caller.key?.wallet === null) fail('WALLET_NOT_BOUND')
      own.admit?.(caller)
    },
  }
}

const noting =
  (activity: ApiDeps['activity'], handle: RouteHandler<Caller>['handle']): typeof handle =>
  (call) => {
    const returning = activity?.note()
    return returning ? returning.then(() => handle(call)) : handle(call)
  }
