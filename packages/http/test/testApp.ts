import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { ROUTE_IDS, type RouteId, routeById } from '@pit/protocol'
import type { EdgeCaller, EdgeKey, Gate } from '../src/caller.ts'
import { type App, type AppDeps, createApp } from '../src/createApp.ts'
import type { RouteHandler } from '../src/plan.ts'
import { ratesOf } from '../src/rates/limiter.ts'
import { createMemoryLimiter } from '../src/rates/memoryLimiter.ts'
import { GOOD_KEY } from './edgeClient.ts'
import { createInject, type Inject } from './inject.ts'

type Deps = AppDeps<EdgeKey, object>
type Handler = RouteHandler<EdgeCaller>

export interface TestApp extends App {
  inject: Inject
  log: string[]
}

/** The protocol's routes over handlers that echo their input, and a gate that admits one key. */
export function openTestApp({
  config = {},
  handlers = {},
  gate = {},
  ...deps
}: Partial<Omit<Deps, 'config' | 'gate' | 'routes'>> & {
  config?: Partial<Deps['config']>
  handlers?: { [Id in RouteId]?: Handler['handle'] | Partial<Handler> }
  gate?: Partial<Gate<EdgeKey, object>>
} = {}): TestApp {
  const log: string[] = []
  const nowMs = 1_700_000_000_000
  const app = createApp({
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'http://localhost:4663',
      allowedHosts: [],
      trustedProxies: ['127.0.0.0/8'],
      maxConnectionsPerAddress: 256,
      maxInFlight: 512,
      maxLoopDelayMs: 1_000,
      devFields: false,
      ...config,
    },
    clock: { nowMs: () => nowMs },
    gate: {
      admitClient: () => ({}),
      authenticate: (bearer) => (bearer === GOOD_KEY ? { keyId: 7 } : null),
      admitKey() {},
      outageOf: () => null,
      ...gate,
    },
    routes: ROUTE_IDS.map((id) => ({
      route: routeById(id),
      neverShed: id === 'health',
      handle: (call) => ({ id, ...call }),
      ...guarded(handlers[id]),
    })),
    pages: [],
    rpc: [],
    limiter: createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 50 }) }),
    logger: createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } }),
    metrics: createMetrics({ withProcess: false }),
    ...deps,
  })
  return { ...app, inject: createInject(async () => app.address() ?? (await app.listen())), log }
}

const guarded = (handler: Handler['handle'] | Partial<Handler> | undefined) =>
  typeof handler === 'function' ? { handle: handler } : handler
