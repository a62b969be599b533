import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VendorOptions, VendorState } from './modes.ts'

/** A vendor's response; the server writes it. */
export interface Reply {
  status: number
  body: unknown
  headers?: Record<string, string>
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  body,
  headers,
})

export const problem = (
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): Reply => json(status, { error: { code, type: code, message } }, headers)

export function writeReply(response: ServerResponse, reply: Reply): void {
  if (response.destroyed || response.writableEnded) return
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...reply.headers,
  })
  response.end(text)
}

const oversizedBody = (bytes: number) => JSON.stringify({ padding: 'x'.repeat(bytes) })

type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
  options: VendorOptions,
) => Promise<Reply | 'silent'> | Reply | 'silent'

/** The faults every vendor shares. `slow` is not among them: it responds, later. */
const FAULTS: Record<string, Fault> = {
  down: (request) => {
    request.socket.destroy()
    return 'silent'
  },
  error: (_, __, options) =>
    problem(options.status ?? 503, 'upstream_error', 'The service is having a bad day.'),
  hang: () => 'silent',
  malformed: () => ({ status: 200, body: '<html><body>502 Bad Gateway</body></html>' }),
  rate_limited: (_, __, options) =>
    problem(429, 'rate_limited', 'Too many requests.', { 'retry-after': String(options.retry_after_s ?? 7) }),
  challenge: () => ({ status: 403, body: '<html><title>Just a moment...</title></html>' }),
  redirect: () => json(302, {}, { location: 'http://127.0.0.1:9/' }),
  endless: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"padding":"')
    return 'silent'
  },
  oversized: (_, __, options) => ({ status: 200, body: oversizedBody(options.bytes ?? 8_000_000) }),
}

/** Returns the fault's reply, 'silent' if nothing is written, or undefined if the vendor itself responds. */
export async function misbehave(
  request: IncomingMessage,
  response: ServerResponse,
  { mode, options }: VendorState,
): Promise<Reply | 'silent' | undefined> {
  if (mode === 'slow') {
    await sleep(options.delay_ms ?? 3_000, undefined, { ref: false })
    return undefined
  }
  return FAULTS[mode]?.(request, response, options)
}

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'
}

export async function readBody(request: IncomingMessage, maxBytes = 1_000_000): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBytes) throw new BodyTooLarge(`body over ${maxBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
