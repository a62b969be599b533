import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { HttpAnswer, NoAnswer } from '../exchange.ts'
import { type AnswerReader, createAnswerReader, type ReadAnswer } from './readAnswer.ts'

export interface ConnectionRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  maxAnswerBytes: number
}

/**
 * HTTP/1.1 client for one address over kept-alive connections, one request at a time on each. It does only
 * what a JSON-RPC node and the signer need, at a third of the CPU time of Node's own client.
 */
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
const TCP_PROBE_MS = 1_000

interface Connection {
  socket: Socket
  isOpen: boolean
  wasUsed: boolean
  idleUntilMs: number
  under: Exchange | null
  /** System error code. */
  code: string | undefined
}
interface Exchange {
  request: ConnectionRequest
  resolve(outcome: HttpAnswer | NoAnswer): void
  timer: NodeJS.Timeout | undefined
  reader: AnswerReader
  hasBegun: boolean
  connection: Connection | null
}

export function keepConnections({ url, socketPath, tls, maxConnections }: KeepOptions): KeptConnections {
  const all = new Set<Connection>()
  const idle: Connection[] = []
  const waiting: Exchange[] = []
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false
  const isSecure = url.protocol === 'https:'
  const fixed = fixedHeaders(url)

  function open(): Connection {
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    const at = { host: hostname, port: Number(url.port || (isSecure ? 443 : 80)) }
    const servername = isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = socketPath
      ? connectPlain({ path: socketPath })
      : isSecure
        ? connectSecurely({ ...at, ...servername, ...tls, ALPNProtocols: ['http/1.1'] })
        : connectPlain(at)
    const own: Connection = {
      socket,
      isOpen: false,
      wasUsed: false,
      idleUntilMs: 0,
      under: null,
      code: undefined,
    }
    all.add(own)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, TCP_PROBE_MS)
    socket.once(isSecure && !socketPath ? 'secureConnect' : 'connect', () => {
      own.isOpen = true
      if (own.under) send(own, own.under)
    })
    socket.on('data', (chunk: Buffer) => hear(own, chunk))
    // `on`, not `once`: a second error without a listener would end the process.
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      own.code ??= code ?? message
    })
    socket.once('end', () => {
      const read = own.under?.reader.end()
      if (read) finish(own, own.under!, read)
    })
    socket.once('close', () => gone(own))
    return own
  }

  function begin(exchange: Exchange, connection: Connection): void {
    exchange.connection = connection
    connection.under = exchange
    if (!connection.isOpen) return
    connection.socket.ref()
    send(connection, exchange)
  }

  function send({ socket }: Connection, { request: { method, path, headers = {}, body } }: Exchange): void {
    const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
    // One write, one packet.
    socket.write(`${method} ${path} HTTP/1.1\r\n${fixed}${own.join('')}${length}\r\n${body ?? ''}`)
  }

  function hear(connection: Connection, chunk: Buffer): void {
    const exchange = connection.under
    // Unsolicited data: close the connection.
    if (!exchange) return void connection.socket.destroy()
    exchange.hasBegun = true
    const read = exchange.reader.take(chunk)
    if (!read) return
    if ('kind' in read) fail(exchange, read)
    else finish(connection, exchange, read)
  }

  function finish(connection: Connection, exchange: Exchange, { keepMs, ...read }: ReadAnswer): void {
    clearTimeout(exchange.timer)
    connection.under = null
    connection.wasUsed = true
    const restMs = Math.min(IDLE_MS, keepMs)
    const next = restMs > 0 ? waiting.shift() : undefined
    if (next) begin(next, connection)
    else if (restMs > 0) rest(connection, restMs)
    else connection.socket.destroy()
    exchange.resolve({ kind: 'answer', ...read })
  }

  function rest(connection: Connection, restMs: number): void {
    connection.idleUntilMs = performance.now() + restMs
    connection.socket.unref()
    idle.push(connection)
    sweeping ??= setTimeout(sweep, IDLE_MS).unref()
  }
  function sweep(): void {
    const nowMs = performance.now()
    for (const { idleUntilMs, socket } of idle) if (idleUntilMs <= nowMs) socket.destroy()
    sweeping = idle.length > 0 ? setTimeout(sweep, IDLE_MS).unref() : undefined
  }
  /** The most recently used one, so that the others can time out. */
  function takeIdle(): Connection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      // A connection that the server has just closed is still half open here.
      if (connection.idleUntilMs > performance.now() && connection.socket.readyState === 'open')
        return connection
      connection.socket.destroy()
    }
    return undefined
  }

  function fail(exchange: Exchange, { kind, why, code }: Pick<NoAnswer, 'kind' | 'why' | 'code'>): void {
    clearTimeout(exchange.timer)
    const { connection, hasBegun } = exchange
    const onStaleConnection = connection?.wasUsed === true && !hasBegun
    if (connection) {
      connection.under = null
      connection.socket.destroy()
    } else waiting.splice(waiting.indexOf(exchange), 1)
    exchange.resolve({ kind, why, code, onStaleConnection })
  }

  function gone(connection: Connection): void {
    all.delete(connection)
    const at = idle.indexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    const { under, isOpen } = connection
    if (under) {
      const code = connection.code ?? 'ECONNRESET'
      fail(under, { kind: isOpen ? 'broken' : 'unreachable', why: code, code })
    }
    const next = isClosed ? undefined : waiting.shift()
    if (next) begin(next, open())
  }

  return {
    exchange: (request) =>
      new Promise((resolve) => {
        for (const [name, value] of Object.entries(request.headers ?? {}))
          if (!HEADER_VALUE.test(value)) throw new TypeError(`header ${name} has an invalid character`)
        const reader = createAnswerReader(request.maxAnswerBytes)
        const exchange: Exchange = {
          request,
          resolve,
          reader,
          hasBegun: false,
          connection: null,
          timer: undefined,
        }
        exchange.timer = setTimeout(() => {
          const isSent = exchange.connection?.isOpen === true
          const what = isSent ? 'answer' : 'connection'
          const why = `no ${what} within ${request.timeoutMs} ms`
          fail(exchange, { kind: isSent ? 'timeout' : 'unreachable', why })
        }, request.timeoutMs)
        const connection = takeIdle() ?? (all.size < maxConnections ? open() : undefined)
        if (connection) begin(exchange, connection)
        else waiting.push(exchange)
      }),
    dropIdle() {
      for (const { socket } of [...idle]) socket.destroy()
    },
    close() {
      isClosed = true
      clearTimeout(sweeping)
      for (const exchange of [...waiting]) fail(exchange, { kind: 'unreachable', why: 'closed' })
      for (const { socket } of all) socket.destroy()
    },
  }
}

function fixedHeaders(url: URL): string {
  const credentials = decodeURIComponent(`${url.username}:${url.password}`)
  const basic = Buffer.from(credentials, 'latin1').toString('base64')
  const lines = [`host: ${url.host}`, 'accept: application/json', 'accept-encoding: identity']
  if (url.username !== '') lines.push(`authorization: Basic ${basic}`)
  return `${lines.join('\r\n')}\r\n`
}
