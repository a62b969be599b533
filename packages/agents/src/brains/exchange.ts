import { type IncomingHttpHeaders, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { isIP } from 'node:net'

export interface ExchangeAsk {
  method: 'GET' | 'POST'
  url: URL
  /** The address to connect to, whatever the name says by then; without it the system resolves. */
  address?: string
  /** Whose certificates count, in PEM; without it those the system trusts. */
  ca?: string | undefined
  headers: Record<string, string>
  body?: string
  timeoutMs: number
  maxAnswerBytes: number
}

/** How one HTTP exchange ended. `unreachable`: nothing was sent, so nothing can have been done there. */
export type Exchange =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; text: string }
  | { kind: 'unreachable' | 'broken' | 'timeout' | 'too large' | 'encoded'; why: string }

/**
 * One request on a connection of its own: no redirects, no compressed answers, bounded in time and bytes. A
 * connection is not kept, so that a failure before it stood is known from one after.
 */
export function exchange(ask: ExchangeAsk): Promise<Exchange> {
  const { url, body } = ask
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    let connected = false
    const end = (outcome: Exchange) => {
      clearTimeout(timer)
      resolve(outcome)
      sent.destroy()
    }
    const sent = (secure ? overHttps : overHttp)({
      method: ask.method,
      host: ask.address ?? hostname,
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      agent: false,
      // The certificate has to be the name's, not the address's.
      ...(secure && isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(ask.ca === undefined ? {} : { ca: ask.ca }),
      headers: {
        host: url.host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...ask.headers,
      },
    })
    // After the request was made: one that cannot be made throws, and a timer left behind would find nothing
    // to end.
    const timer = setTimeout(() => {
      const why = `no ${connected ? 'answer' : 'connection'} within ${ask.timeoutMs} ms`
      end({ kind: connected ? 'timeout' : 'unreachable', why })
    }, ask.timeoutMs)
    sent.once('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true
      }),
    )
    // Not once: a second error without a listener would end the process.
    sent.on('error', (error: NodeJS.ErrnoException) =>
      end({ kind: connected ? 'broken' : 'unreachable', why: error.code ?? 'the connection failed' }),
    )
    sent.once('response', (answer) => void readAnswer(answer, ask.maxAnswerBytes).then(end))
    sent.end(body)
  })
}

type Answer = AsyncIterable<unknown> & { headers: IncomingHttpHeaders; statusCode?: number | undefined }

async function readAnswer(answer: Answer, maxBytes: number): Promise<Exchange> {
  const encoding = answer.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return { kind: 'encoded', why: 'the answer is compressed' }
  }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer) {
      size += (chunk as Buffer).length
      if (size > maxBytes) return { kind: 'too large', why: `the answer is over ${maxBytes} bytes` }
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    return { kind: 'broken', why: (error as NodeJS.ErrnoException).code ?? 'the answer broke off' }
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return { kind: 'answer', status: answer.statusCode ?? 0, headers: answer.headers, text }
}
