import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { withinMs } from '@pit/platform/clock'
import { isStoreUnavailable } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { fail, isPitError, type PitError, REQUEST, refusal, toEnvelope } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { withChecks } from '../checks.ts'
import type { Caller, createGate } from './gate.ts'
import { type Door, listenAt, serverFor } from './listenAt.ts'

/** Handles one kind of call; a PitError it throws is the refusal. */
export type Handler = (params: {
  body: Record<string, unknown>
  caller: Caller
  path: string
}) => Promise<unknown>
export type CallRoutes = readonly { method: 'GET' | 'POST'; path: string | RegExp; handle: Handler }[]

/** Shorter than the server's timeout. */
const CALL_BOUND_MS = 8_000
const CONNECTIONS_PER_CALL = 2

/**
 * The signer's HTTP server: one listener; the gate admits every call; sizes, times and numbers are bounded.
 */
export async function serveCalls({
  door,
  routes,
  gate,
  logger,
  maxInFlight,
  sharesUser = () => false,
}: {
  door: Door
  routes: CallRoutes
  gate: ReturnType<typeof createGate>
  logger: Logger
  maxInFlight: number
  /** Whether the caller's user could read the signer's files: such a server is refused. */
  sharesUser?: (socket: Socket) => boolean
}): Promise<{ url: string; port: number; close(): Promise<void> }> {
  let inFlight = 0

  async function answer(request: IncomingMessage): Promise<unknown> {
    const body = await readBody(request)
    const { method = '', url: path = '', headers } = request
    const caller = gate.admit({ method, path, headers, body })
    if (caller.by === 'server' && sharesUser(request.socket)) fail('UNAUTHORIZED', SAME_USER)
    const route = routes.find(
      (one) =>
        one.method === method && (typeof one.path === 'string' ? one.path === path : one.path.test(path)),
    )
    if (!route) fail('NOT_FOUND')
    const params = { body: method === 'POST' ? parseBody(body) : {}, caller, path }
    // Calls without a valid secret must not use up the slots of those with one.
    if (inFlight >= maxInFlight) fail('BUSY')
    inFlight++
    // A call counts until it has ended, even if its caller no longer waits.
    const work = (async () => route.handle(params))().finally(() => {
      inFlight--
    })
    // Not BUSY, which promises that nothing was done.
    return withinMs(CALL_BOUND_MS, work, () =>
      refusal('ENGINE_UNAVAILABLE', {
        message: 'The request timed out; its trade may be counted.',
      }),
    )
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      send(response, 200, await answer(request))
    } catch (error) {
      const refused = refusalOf(error)
      if (refused.status >= 400) request.resume()
      send(response, refused.status, toEnvelope(refused), refused.retryAfterS)
    }
  }

  function refusalOf(error: unknown): PitError {
    if (isPitError(error)) {
      const rules = (error.extras['signer_checks'] as SignerCheck[] | undefined)?.map(({ rule }) => rule)
      logger.info({ code: error.code, rules }, 'refused')
      return withChecks(error)
    }
    if (isStoreUnavailable(error))
      logger.error({ err: error }, 'the store is not responding; nothing was signed')
    else logger.error({ err: error }, 'unexpected error; nothing was signed')
    return refusal('ENGINE_UNAVAILABLE')
  }

  const server = serverFor(door, logger)
  server.maxConnections = CONNECTIONS_PER_CALL * maxInFlight
  server.on('request', (request, response) => void serve(request, response))
  server.on('clientError', (_, socket) => socket.destroy())
  return {
    ...(await listenAt(server, door)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        // Calls in flight end within their time limit.
        setTimeout(() => server.closeAllConnections(), CALL_BOUND_MS).unref()
      }),
  }
}

const SAME_USER = {
  message: 'The server’s user can read the signer’s key: run the signer under a separate user.',
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
  if (chunked !== undefined || (length === undefined && request.method === 'POST')) fail('LENGTH_REQUIRED')
  if (Number(length ?? 0) > REQUEST.maxBodyBytes) fail('BAD_REQUEST', { status: 413 })
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function parseBody(body: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    fail('BAD_REQUEST', { message: 'The body is not valid JSON.' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail('BAD_REQUEST', { message: 'The body is not a JSON object.' })
  }
  return value as Record<string, unknown>
}

function send(response: ServerResponse, status: number, answer: unknown, retryAfterS?: number): void {
  if (response.destroyed) return
  const text = JSON.stringify(answer)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
  })
  response.end(text)
}
