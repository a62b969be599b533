import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'

export interface HttpOptions {
  port: number
  /** Loopback by default. */
  host: string
  /** Required in every request. */
  token: string
  log(text: string): void
}

export interface HttpServing {
  url: string
  close(): Promise<void>
}

const PATH = '/mcp'
const MAX_BODY_BYTES = 1_000_000

/** MCP over streamable HTTP, for clients on this machine that have the token. */
export async function serveHttp(
  factory: () => McpServer,
  { port, host, token, log }: HttpOptions,
): Promise<HttpServing> {
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) => log(`MCP over HTTP: ${error.message}`),
  })
  const name = host.includes(':') ? `[${host}]` : host
  const hostnames = [...localhostAllowedHostnames(), name]
  const expected = digest(`Bearer ${token}`)

  /** Status and reason of a refusal; null if the request is allowed. */
  function refusalOf({ headers, url }: IncomingMessage): [number, string] | null {
    // Web pages can reach loopback; the Host and Origin headers reveal them.
    if (!validateHostHeader(headers.host, hostnames).ok)
      return [403, 'The Host header does not match this server.']
    if (!validateOriginHeader(headers.origin, localhostAllowedOrigins()).ok)
      return [403, 'Requests from this Origin are not allowed.']
    if (new URL(url ?? '/', 'http://localhost').pathname !== PATH) return [404, `Only ${PATH} is served.`]
    const authorization = digest(headers.authorization ?? '')
    if (!timingSafeEqual(authorization, expected)) return [401, 'Send the bearer token from the token file.']
    return null
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request)
    if (refusal) {
      const [status, why] = refusal
      response
        .writeHead(status, {
          'content-type': 'application/json',
          connection: 'close',
          ...(status === 401 && { 'www-authenticate': 'Bearer' }),
        })
        .end(JSON.stringify({ error: why }))
      return
    }
    const disconnected = new AbortController()
    response.on('close', () => disconnected.abort())
    const { status, headers, body } = await handler.fetch(requestOf(request, disconnected.signal))
    response.writeHead(status, Object.fromEntries(headers))
    if (!body) return void response.end()
    Readable.fromWeb(body as ReadableStream).pipe(response)
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: Error) => {
      log(`MCP over HTTP: ${error.message}`)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = server.address() as { port: number }
  return {
    url: `http://${name}:${bound.port}${PATH}`,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function requestOf(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as never, duplex: 'half' as never }),
  })
}
