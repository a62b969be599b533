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
  /** Keeps connections; without it each exchange has one of its own. */
  agent?: Agent
  /** The socket file to connect to in place of the URL's host. */
  socketPath?: string
  /** The address to connect to, whatever the name says by then; without it the system resolves. */
  address?: string
  /** Whose certificates count, in PEM; without it those the system trusts. */
  ca?: string | undefined
}

export interface HttpAnswer {
  kind: 'answer'
  status: number
  headers: IncomingHttpHeaders
  text: string
}
export interface NoAnswer {
  /** `unreachable`: nothing was sent, so nothing can have been done there. */
  kind: 'unreachable' | 'broken' | 'timeout' | 'too large' | 'encoded'
  why: string
  /** The system's code of what failed. */
  code?: string | undefined
  /** It failed on a kept connection, before any answer: the other side may have just closed it. */
  onStaleConnection: boolean
}

/** A NoAnswer as an error, for callers that have nothing to say about it themselves. */
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
 * One HTTP request and its answer as text: no redirects, no compressed answers, bounded in time and bytes.
 * Rejects only where the request cannot be made at all, such as with a header that is none.
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
      // The certificate has to be the name's, not the address's.
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
    // After the request was made: one that cannot be made throws, and would leave a timer behind.
    const timer = setTimeout(() => {
      if (isConnected) fail('timeout', `no answer within ${timeoutMs} ms`)
      else fail('unreachable', `no connection within ${timeoutMs} ms`)
    }, timeoutMs)
    sent.once('socket', (socket) => {
      if (sent.reusedSocket) isConnected = true
      else
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true
        })
    })
    // Not once: a second error without a listener would end the process.
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      fail(isConnected ? 'broken' : 'unreachable', code ?? message, code),
    )
    sent.once('response', (incoming: IncomingMessage) => {
      hasBegun = true
      const encoding = incoming.headers['content-encoding']
      if (encoding !== undefined && encoding !== 'identity')
        return fail('encoded', 'the answer is compressed')
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > params.maxAnswerBytes)
          fail('too large', `the answer is over ${params.maxAnswerBytes} bytes`)
        else chunks.push(chunk)
      })
      incoming.on('error', ({ code }: NodeJS.ErrnoException) =>
        fail('broken', code ?? 'the answer broke off', code),
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

/** The answer, or ExchangeFailed. */
export async function exchangeOrThrow(params: ExchangeRequest): Promise<HttpAnswer> {
  const outcome = await exchange(params)
  if (outcome.kind !== 'answer') throw new ExchangeFailed(outcome)
  return outcome
}
