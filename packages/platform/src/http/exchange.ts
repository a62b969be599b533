import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isIP } from 'node:net'

export interface ExchangeRequest {
  method: 'GET' | 'POST'
  url: URL
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  maxAnswerBytes: number
  /** Keeps connections alive; without it each request uses a new one. */
  agent?: Agent
  /** Unix socket to connect to instead of the URL's host. */
  socketPath?: string
  /** IP address to connect to, bypassing DNS; without it the system resolves the name. */
  address?: string
  /** Trusted certificates in PEM; without it the system's. */
  ca?: string | undefined
}

export interface HttpAnswer {
  kind: 'answer'
  status: number
  headers: IncomingHttpHeaders
  text: string
}
export interface NoAnswer {
  /** `unreachable`: nothing was sent, so the request had no effect. */
  kind: 'unreachable' | 'broken' | 'timeout' | 'too large' | 'encoded'
  why: string
  /** System error code. */
  code?: string | undefined
  /** It failed on a kept-alive connection before any response: the server may have just closed it. */
  onStaleConnection: boolean
}

/** A NoAnswer as an error, for callers that add nothing to it. */
export class ExchangeFailed extends Error {
  readonly kind: NoAnswer['kind']
  readonly code: string | undefined
  readonly onStaleConnection: boolean
  constructor({ kind, why, code, onStaleConnection }: NoAnswer) {
    super(why)
    this.kind = kind
    this.code = code
    this.onStaleConnection = onStaleConnection
  }
}

/**
 * One HTTP request with a text response: no redirects, no compression, bounded in time and bytes. Rejects
 * only if the request cannot be made at all, such as with an invalid header.
 */
export function exchange(params: ExchangeRequest): Promise<HttpAnswer | NoAnswer> {
  const { url, body, agent, address, ca, socketPath, timeoutMs } = params
  const isSecure = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    let isConnected = false
    let hasBegun = false
    const end = (outcome: HttpAnswer | NoAnswer) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    const fail = (kind: NoAnswer['kind'], why: string, code?: string) => {
      end({ kind, why, code, onStaleConnection: sent.reusedSocket && !hasBegun })
      sent.destroy()
    }
    const sent = (isSecure ? overHttps : overHttp)({
      method: params.method,
      path: `${url.pathname}${url.search}`,
      agent: agent ?? false,
      ...(socketPath === undefined ? { host: address ?? hostname, port: url.port } : { socketPath }),
      // Verify the certificate against the name, not the address.
      ...(isSecure && isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(url.username === '' ? {} : { auth: decodeURIComponent(`${url.username}:${url.password}`) }),
      headers: {
        host: url.host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(agent === undefined ? { connection: 'close' } : {}),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...params.headers,
      },
    })
    // Set after the request is made: creating it may throw, which would leak the timer.
    const timer = setTimeout(() => {
      if (isConnected) fail('timeout', `no response within ${timeoutMs} ms`)
      else fail('unreachable', `no connection within ${timeoutMs} ms`)
    }, timeoutMs)
    sent.once('socket', (socket) => {
      if (sent.reusedSocket) isConnected = true
      else
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true
        })
    })
    // `on`, not `once`: a second error without a listener would end the process.
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      fail(isConnected ? 'broken' : 'unreachable', code ?? message, code),
    )
    sent.once('response', (incoming: IncomingMessage) => {
      hasBegun = true
      const encoding = incoming.headers['content-encoding']
      if (encoding !== undefined && encoding !== 'identity')
        return fail('encoded', 'the response is compressed')
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > params.maxAnswerBytes)
          fail('too large', `the response is over ${params.maxAnswerBytes} bytes`)
        else chunks.push(chunk)
      })
      incoming.on('error', ({ code }: NodeJS.ErrnoException) =>
        fail('broken', code ?? 'the response ended early', code),
      )
      incoming.on('end', () =>
        end({
          kind: 'answer',
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.end(body)
  })
}

/** Returns the response or throws ExchangeFailed. */
export async function exchangeOrThrow(params: ExchangeRequest): Promise<HttpAnswer> {
  const outcome = await exchange(params)
  if (outcome.kind !== 'answer') throw new ExchangeFailed(outcome)
  return outcome
}
