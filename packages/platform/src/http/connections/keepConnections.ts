import { isIP } from 'node:net'
import { Client } from 'undici'
import type { HttpAnswer, NoAnswer } from '../exchange.ts'
import { type ConnectionRequest, createExchange, type Exchange, type Lane } from './exchangeHandler.ts'

/** HTTP/1.1 client for one address over kept-alive connections, one request at a time on each. */
export interface KeptConnections {
  /**
   * One request with a text response: no redirects, no compression, bounded in time and bytes. Rejects only
   * if the request cannot be made at all.
   */
  exchange(request: ConnectionRequest): Promise<HttpAnswer | NoAnswer>
  /** Closes idle connections: a restarted node no longer has them. */
  dropIdle(): void
  close(): void
}

export interface KeepOptions {
  url: URL
  /** Unix socket to connect to instead of the URL's host. */
  socketPath?: string | undefined
  /** For https: trusted certificates and the client certificate; without it the system's. */
  tls?: { ca: string; cert: string; key: string; minVersion: 'TLSv1.3' } | undefined
  maxConnections: number
}

const HEADER_VALUE = /^[\t\x20-\x7e]*$/
/**
 * Idle connections are closed after this: many servers close theirs after five seconds, and a transaction
 * sent at that moment would be lost silently.
 */
const IDLE_MS = 3_000
/** Subtracted from the time that the server states in `keep-alive`. */
const IDLE_MARGIN_MS = 1_000
const TCP_PROBE_MS = 1_000
const MAX_HEAD_BYTES = 32 * 1024

export function keepConnections(options: KeepOptions): KeptConnections {
  const fixed = fixedHeaders(options.url)
  const lanes = new Set<Lane>()
  const idle: Lane[] = []
  const waiting: Exchange[] = []

  function openLane(): Lane {
    const lane = { client: openClient(options), wasUsed: false }
    lane.client.on('connect', () => {
      lane.wasUsed = false
    })
    lanes.add(lane)
    return lane
  }
  function dropLane(lane: Lane): void {
    lanes.delete(lane)
    void lane.client.destroy()
  }

  function begin(exchange: Exchange, lane: Lane): void {
    const { method, path, body = null, headers } = exchange.request
    exchange.lane = lane
    lane.client.dispatch({ method, path, body, headers: { ...fixed, ...headers } }, exchange)
  }
  function release(lane: Lane): void {
    const isOpen = lanes.has(lane)
    const mayBegin = isOpen || lanes.size < options.maxConnections
    const next = mayBegin ? waiting.shift() : undefined
    if (next) begin(next, isOpen ? lane : openLane())
    else if (isOpen) idle.push(lane)
  }
  /** Failed before anything was sent. */
  function giveUp(exchange: Exchange): void {
    if (exchange.lane) dropLane(exchange.lane)
    else waiting.splice(waiting.indexOf(exchange), 1)
  }

  return {
    exchange: (request) =>
      new Promise((resolve) => {
        for (const [name, value] of Object.entries(request.headers ?? {}))
          if (!HEADER_VALUE.test(value)) throw new TypeError(`header ${name} has an invalid character`)
        const exchange = createExchange(request, { resolve, release, giveUp })
        // The most recently used one, so that the others can time out.
        const lane = idle.pop() ?? (lanes.size < options.maxConnections ? openLane() : undefined)
        if (lane) begin(exchange, lane)
        else waiting.push(exchange)
      }),
    dropIdle() {
      for (const lane of idle.splice(0)) dropLane(lane)
    },
    close() {
      for (const exchange of [...waiting]) exchange.fail({ kind: 'unreachable', why: 'closed' })
      for (const lane of lanes) dropLane(lane)
    },
  }
}

function openClient({ url, socketPath, tls }: KeepOptions): Client {
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  return new Client(url.origin, {
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    // Accurate to a second only: each exchange has its own timer.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEAD_BYTES,
    connect: {
      ...tls,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(socketPath === undefined ? {} : { socketPath }),
      keepAlive: true,
      keepAliveInitialDelay: TCP_PROBE_MS,
      timeout: 0,
    },
  })
}

function fixedHeaders(url: URL): Record<string, string> {
  const credentials = decodeURIComponent(`${url.username}:${url.password}`)
  const basic = Buffer.from(credentials, 'latin1').toString('base64')
  return {
    host: url.host,
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(url.username === '' ? {} : { authorization: `Basic ${basic}` }),
  }
}
