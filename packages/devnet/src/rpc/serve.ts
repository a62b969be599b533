import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseForeign } from '../localOnly.ts'
import { attachWebSocket } from './attachWebSocket.ts'
import type { Rpc } from './createRpc.ts'
import { allowLocalOrigin, readBody, sendJson } from './httpExchange.ts'
import { errorText } from './message.ts'
import type { Sequencer } from './sequencer.ts'
import type { Meter } from './strict.ts'

export interface ServeOptions {
  host?: string
  /** 0 or absent: any free port. */
  port?: number
  maxBodyBytes?: number
  /** How long a lossy sequencer holds a socket before it drops it. */
  silenceMs?: number
  /** Responds with 429 to callers over their budget. */
  meter?: Meter
  /** Called on every request. */
  answered?(): void
  /** Lifetime of a WebSocket. */
  socketLifeMs?: number
}

export interface Serving {
  port: number
  url: string
  /** At once: connections are cut. */
  close(how?: { atOnce: boolean }): Promise<void>
}

type Answer = (text: string, response: ServerResponse) => Promise<void>

const DEFAULTS = { host: '127.0.0.1', port: 0, maxBodyBytes: 10_000_000, silenceMs: 30_000 }
const CLOSE_WITHIN_MS = 2_000

/** HTTP and WebSocket at any path; with a sequencer, that one at /sequencer, and an open node at /open. */
export async function serveRpc(
  { rpc, sequencer, open }: { rpc: Rpc; sequencer?: Sequencer; open?: Rpc },
  options: ServeOptions = {},
): Promise<Serving> {
  const settings = { ...DEFAULTS, ...options }
  const toRpc = answerByRpc(rpc, settings)
  const toOpen = open && answerByRpc(open)
  const toSequencer = sequencer && answerBySequencer(sequencer, settings.silenceMs)
  const server = createServer((request, response) => {
    const answer =
      (toSequencer && isAt('/sequencer', request) && toSequencer) ||
      (toOpen && isAt('/open', request) && toOpen) ||
      toRpc
    exchange(request, response, answer, settings.maxBodyBytes)
  })
  const sockets = attachWebSocket(server, rpc, settings)
  return listen(server, settings, () => sockets.close())
}

/** The sequencer on a separate port. */
export function serveSequencer(sequencer: Sequencer, options: ServeOptions = {}): Promise<Serving> {
  const settings = { ...DEFAULTS, ...options }
  const answer = answerBySequencer(sequencer, settings.silenceMs)
  const server = createServer((request, response) => {
    exchange(request, response, answer, settings.maxBodyBytes)
  })
  return listen(server, settings, () => {})
}

const isAt = (path: string, { url }: IncomingMessage) => url?.split('?')[0] === path

const answerByRpc = (rpc: Rpc, { meter, answered }: ServeOptions = {}): Answer => {
  return async (text, response) => {
    const waitS = meter?.take(text) ?? 0
    if (waitS > 0) {
      response.setHeader('retry-after', waitS)
      return sendJson(response, 429, errorText(null, { code: 429, message: 'too many requests' }))
    }
    answered?.()
    const answer = await rpc.handle(text)
    if (answer !== undefined) sendJson(response, 200, answer)
    else response.writeHead(204).end()
  }
}

const answerBySequencer = (sequencer: Sequencer, silenceMs: number): Answer => {
  return async (text, response) => {
    const reply = await sequencer.handle(text)
    if (reply.kind === 'answer') return sendJson(response, 200, reply.text)
    const timer = setTimeout(() => response.destroy(), silenceMs)
    response.on('close', () => clearTimeout(timer))
  }
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  maxBodyBytes: number,
): Promise<void> {
  try {
    const refused = refuseForeign(request)
    if (refused) {
      request.resume()
      return sendJson(response, refused.status, errorText(null, { code: -32600, message: refused.why }))
    }
    allowLocalOrigin(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST, OPTIONS' }).end()
    const text = await readBody(request, maxBodyBytes)
    if (text === undefined) {
      response.setHeader('connection', 'close')
      return sendJson(response, 413, errorText(null, { code: -32600, message: 'the request is too large' }))
    }
    await answer(text, response)
  } catch (error) {
    sendJson(response, 500, errorText(null, { code: -32603, message: String(error) }))
  }
}

async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  closing: () => void,
): Promise<Serving> {
  // Longer than clients keep a connection, so that it is not closed under a request in flight.
  server.keepAliveTimeout = 65_000
  server.requestTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  return {
    port: bound,
    url: `http://${host}:${bound}`,
    close: ({ atOnce } = { atOnce: false }) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), atOnce ? 0 : CLOSE_WITHIN_MS)
        // A connection with a running request becomes idle only later.
        const sweeps = setInterval(() => server.closeIdleConnections(), 20)
        server.close(() => {
          clearTimeout(timer)
          clearInterval(sweeps)
          resolve()
        })
        closing()
      }),
  }
}
