import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Metrics } from '@pit/platform/monitoring'
import { type PitError, refusal } from '@pit/protocol'
import type { PeerOf } from './peer.ts'
import { headersOf, refusalReply } from './reply.ts'
import type { NewRequestId } from './requestId.ts'

const REASONS: Record<string, { field: string; message: string }> = {
  HPE_HEADER_OVERFLOW: { field: 'headers', message: 'The headers or the URI are too long.' },
  ERR_HTTP_REQUEST_TIMEOUT: { field: 'headers', message: 'The request did not arrive in time.' },
  HPE_INVALID_EOF_STATE: { field: 'body', message: 'The body ended before its Content-Length.' },
}

/** Reports errors of Node's parser as JSON too, directly on the socket. */
export function answerParserErrors(
  server: Server,
  { peerOf, newRequestId, baseHeaders, metrics }: ParserErrorDeps,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream: Duplex) => {
    const socket = stream as Socket
    if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
      socket.destroy()
      return
    }
    const reason = REASONS[error.code ?? ''] ?? {
      field: 'request',
      message: 'The request is not valid HTTP/1.1.',
    }
    const refused = refusal('BAD_REQUEST', reason)
    const peer = peerOf(socket)
    peer.broken = true
    if (peer.reading !== null) peer.reading.fail(refused)
    else if (peer.open === 0) write(socket, refused)
  })
  server.on('connect', (_req: IncomingMessage, stream: Duplex) => {
    write(stream as Socket, refusal('METHOD_NOT_ALLOWED'), ['Allow', 'GET, HEAD, POST'])
  })

  function write(socket: Socket, refused: PitError, extra: readonly string[] = []): void {
    const reply = { ...refusalReply(refused, null, extra), close: true }
    const headers = headersOf(reply, newRequestId(undefined), baseHeaders)
    let head = `HTTP/1.1 ${reply.status} ${reply.status === 405 ? 'Method Not Allowed' : 'Bad Request'}\r\n`
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
    metrics.request('none', reply.status, 0)
    socket.end(`${head}\r\n${reply.body}`)
    // Discards the rest of the request and gives the client a second to read the response.
    socket.resume()
    setTimeout(() => socket.destroy(), 1_000).unref()
  }
}

interface ParserErrorDeps {
  peerOf: PeerOf
  newRequestId: NewRequestId
  baseHeaders: readonly string[]
  metrics: Metrics
}
