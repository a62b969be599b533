import { createServer, type Server } from 'node:http'
import { refusal, toEnvelope } from '@pit/protocol'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createRequestTimes } from './requestTimes.ts'

/** The server's metrics. Capabilities add their own to `registry`. */
export interface Metrics {
  registry: Registry
  request(route: string, status: number, seconds: number): void
  limiterRefused(bucket: string): void
  limiterDegraded(on: boolean): void
  /** Requests rejected before any work. */
  shed(): void
  /** An unexpected exception, answered with 503. */
  defect(route: string): void
  watchLoad(load: { inFlight(): number; loopDelayMs(): number }): void
}

export function createMetrics({ withProcess = true } = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  // Its default wakes the process every 10 ms.
  if (withProcess) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 })
  const refusals = new Counter({
    name: 'pit_rate_refusals_total',
    help: 'Requests rejected by a rate limit.',
    labelNames: ['bucket'],
    registers,
  })
  const degraded = new Gauge({
    name: 'pit_rate_degraded',
    help: '1 while this process limits rates alone because Redis is unreachable.',
    registers,
  })
  const shed = new Counter({ name: 'pit_http_shed_total', help: 'Requests shed under overload.', registers })
  const defects = new Counter({
    name: 'pit_http_defects_total',
    help: 'Unexpected exceptions, answered with 503.',
    labelNames: ['route'],
    registers,
  })
  return {
    registry,
    request: createRequestTimes(registry),
    limiterRefused: (bucket) => refusals.inc({ bucket }),
    limiterDegraded: (on) => degraded.set(on ? 1 : 0),
    shed: () => shed.inc(),
    defect: (route) => defects.inc({ route }),
    watchLoad(load) {
      new Gauge({
        name: 'pit_http_in_flight',
        help: 'Requests in progress.',
        registers,
        collect() {
          this.set(load.inFlight())
        },
      })
      new Gauge({
        name: 'pit_loop_delay_ms',
        help: 'Mean event-loop delay over the last quarter second.',
        registers,
        collect() {
          this.set(load.loopDelayMs())
        },
      })
    },
  }
}

/**
 * Serves the registry on its own port, on loopback by default, because metrics are private. Also serves
 * supervisors: `/live` while the process runs, `/ready` while every part can serve, `/serving` while it can
 * serve at all.
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'registry'>,
  {
    port,
    isOwnHost,
    isReady,
    isServing = isReady,
    host = '127.0.0.1',
  }: {
    port: number
    /** Blocks DNS rebinding: a web page must not read metrics through a browser on this machine. */
    isOwnHost(host: string | undefined): boolean
    isReady(): boolean
    isServing?: () => boolean
    host?: string
  },
): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer((req, res) => {
    if (req.url === '/live') return void res.writeHead(200).end('live\n')
    if (req.url === '/ready' || req.url === '/serving') {
      const holds = req.url === '/ready' ? isReady() : isServing()
      return void res.writeHead(holds ? 200 : 503).end(`${holds ? '' : 'not '}${req.url.slice(1)}\n`)
    }
    if (req.url !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
      res.writeHead(404).end()
      return
    }
    if (!isOwnHost(req.headers.host)) {
      const error = refusal('UNKNOWN_HOST')
      res.writeHead(error.status, { 'content-type': 'application/json' })
      return void res.end(JSON.stringify(toEnvelope(error)))
    }
    metrics.registry.metrics().then(
      (text) => res.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => res.writeHead(503).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
