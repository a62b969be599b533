import type { ApiKey } from '@pit/auth'
import { type App, createMemoryLimiter, ratesOf } from '@pit/http'
import { GOOD_KEY, WALLET } from '@pit/http/test/edgeClient'
import { createInject, type Inject } from '@pit/http/test/inject'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { ROUTE_IDS } from '@pit/protocol'
import { placeRules, unknownGeo } from '../src/compliance/geo.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type ApiDeps, createApi } from '../src/http/createApi.ts'
import type { Handlers } from '../src/http/types.ts'

export interface TestApp extends App {
  inject: Inject
  log: string[]
  time: { nowMs: number }
}

/** The HTTP API over handlers that echo their input. */
export async function openTestApp({
  config = {},
  handlers = {},
  key = {},
  ...deps
}: Partial<Omit<ApiDeps, 'config' | 'handlers'>> & {
  config?: Partial<Config>
  handlers?: Partial<Handlers>
  key?: Partial<ApiKey>
} = {}): Promise<TestApp> {
  const log: string[] = []
  const time = { nowMs: 1_700_000_000_000 }
  const echoes = Object.fromEntries(ROUTE_IDS.map((id) => [id, (call: object) => ({ id, ...call })]))
  const apiKey: ApiKey = { keyId: 7, accountId: 3, wallet: WALLET, expiresAtS: 2_000_000_000, ...key }
  const app = createApi({
    config: { ...readConfig({ PORT: '0', PUBLIC_URL: 'http://localhost:4663' }), ...config },
    clock: { nowMs: () => time.nowMs },
    handlers: { ...echoes, ...handlers } as unknown as Handlers,
    walletRpc: async (body) => ({ asked: body }),
    authenticate: async (bearer) => (bearer === GOOD_KEY ? apiKey : null),
    limiter: createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 50 }) }),
    sanctions: { isSanctioned: () => false },
    geo: unknownGeo,
    places: placeRules(BARE_PROFILE.countries),
    logger: createLogger({ level: 'debug', destination: { write: (line) => void log.push(line) } }),
    metrics: createMetrics({ withProcess: false }),
    version: '1.2.3',
    ...deps,
  })
  return { ...app, inject: createInject(async () => app.address() ?? (await app.listen())), log, time }
}
