import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock } from '@pit/platform/clock'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { EdgeCaller, EdgeKey, Gate } from './caller.ts'
import { createNetworks } from './clientAddress.ts'
import { createConnectionCount } from './connections.ts'
import { ownOrigins } from './csrf.ts'
import { createEdge } from './edge.ts'
import { createOverload } from './overload.ts'
import { type PageAt, preflightOf } from './pages.ts'
import { answerParserErrors } from './parserErrors.ts'
import { createPeers } from './peer.ts'
import { type AnyPlan, type PagePlan, planRoute, type RouteAt, type RpcPlan } from './plan.ts'
import type { Limiter } from './rates/limiter.ts'
import { baseHeadersOf, type Expects } from './reply.ts'
import { createRequestIds } from './requestId.ts'
import { createRouter } from './router.ts'

export interface AppConfig {
  host: string
  port: number
  publicUrl: string
  allowedHosts: readonly string[]
  trustedProxies: readonly string[]
  maxConnectionsPerAddress: number
  maxInFlight: number
  maxLoopDelayMs: number
  /** Accepts fields that routes otherwise reject with DEV_DISABLED. */
  devFields: boolean
}

export interface AppDeps<Key extends EdgeKey, Place> {
  config: AppConfig
  clock: Clock
  gate: Gate<Key, Place>
  routes: readonly RouteAt<EdgeCaller<Key, Place>>[]
  pages: readonly PageAt[]
  /** JSON-RPC for callers of any origin, without a key. */
  rpc: readonly ({ path: string } & Omit<RpcPlan<EdgeCaller<Key, Place>>, 'kind'>)[]
  limiter: Limiter
  logger: Logger
  metrics: Metrics
  /** Page for browsers at unknown addresses; JSON without it. */
  notFound?: PagePlan | undefined
  /** Timeouts of clients; tests shorten them. */
  times?: Partial<typeof TIMES>
}

export interface App {
  listen(): Promise<AddressInfo>
  /** From now on every response closes its connection; requests are served as before. */
  drain(): void
  /** Stops accepting, finishes requests in flight within `closeMs`, closes. */
  close(): Promise<void>
  address(): AddressInfo | null
}

/** `closeMs` is well below the time a supervisor waits before it kills a process. */
const TIMES = { headersMs: 10_000, bodyMs: 10_000, keepAliveMs: 65_000, closeMs: 3_000, idleMs: 120_000 }
/** Also bounds the number of headers, because Node's own limit drops the rest without an error. */
const MAX_HEADER_BYTES = 16_384
const MAX_CONNECTIONS = 20_000

/** The HTTP API over node:http. docs/explanation/architecture.md says why there is no framework. */
export function createApp<Key extends EdgeKey, Place>(deps: AppDeps<Key, Place>): App {
  const { config, metrics } = deps
  const times = { ...TIMES, ...deps.times }
  const router = createRouter<AnyPlan<EdgeCaller<Key, Place>>>()
  for (const at of deps.routes) router.add(at.route.method, at.route.path, planRoute(at, config))
  for (const { path, page } of deps.pages) router.add('GET', path, page)
  for (const { path, name, handle } of deps.rpc) {
    router.add('POST', path, { kind: 'rpc', name, handle })
    router.add('OPTIONS', path, preflightOf(name))
  }

  const overload = createOverload(config)
  metrics.watchLoad(overload)
  const proxies = createNetworks(config.trustedProxies)
  const peerOf = createPeers(proxies)
  const newRequestId = createRequestIds()
  const baseHeaders = baseHeadersOf(config.publicUrl)
  let closing = false
  let origins: Set<string> | null = null
  const isOwnOrigin = (origin: string): boolean => {
    // The port is known once the server listens.
    origins ??= ownOrigins(config.publicUrl, { host: config.host, port: address()!.port })
    return origins.has(origin)
  }
  const serve = createEdge({
    ...deps,
    router,
    overload,
    peerOf,
    proxies,
    isOwnOrigin,
    newRequestId,
    baseHeaders,
    isClosing: () => closing,
    bodyTimeoutMs: times.bodyMs,
  })

  const server: Server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: times.headersMs,
    // The edge times out bodies it reads itself, and sooner; this bounds the ones it does not read.
    requestTimeout: times.headersMs + times.bodyMs,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, times.headersMs / 4),
    // The edge rejects a missing Host, with a JSON error.
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  server.maxConnections = MAX_CONNECTIONS
  // Bounds a client that stops reading its response.
  server.timeout = times.idleMs
  // A client that half-closes after its request still gets its response. Node's types lack this option.
  ;(server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true
  const answerTo = (expects: Expects) => (req: IncomingMessage, res: ServerResponse) => {
    serve(req, res, expects).catch((error: unknown) => {
      deps.logger.error({ err: error }, 'failed to send a response')
      res.destroy()
    })
  }
  server.on('request', answerTo('nothing'))
  server.on('checkContinue', answerTo('continue'))
  server.on('checkExpectation', answerTo('something else'))
  const sockets = new Set<Socket>()
  const connections = createConnectionCount(config.maxConnectionsPerAddress)
  server.on('connection', (socket) => {
    const peer = peerOf(socket)
    // A proxy's connections belong to all its clients.
    if (!peer.isProxy) {
      if (!connections.enter(peer.address)) {
        metrics.limiterRefused('connections')
        socket.destroy()
        return
      }
      socket.once('close', () => connections.leave(peer.address))
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  answerParserErrors(server, { peerOf, newRequestId, baseHeaders, metrics })

  const address = () => server.address() as AddressInfo | null
  async function listen(): Promise<AddressInfo> {
    server.listen(config.port, config.host)
    // Rejects if the port is in use.
    await once(server, 'listening')
    return address()!
  }

  function drain(): void {
    closing = true
  }

  async function close(): Promise<void> {
    drain()
    overload.close()
    if (!server.listening) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // Node counts a connection without a request as busy, and browsers open such connections ahead.
    for (const socket of sockets) if (peerOf(socket).open === 0) socket.destroySoon()
    const late = setTimeout(() => server.closeAllConnections(), times.closeMs)
    await closed
    clearTimeout(late)
  }

  return { listen, drain, close, address }
}
