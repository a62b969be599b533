import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AnyRoute, errorRow, type PitError, statusFor, toEnvelope } from '@pit/protocol'
import { isRawAnswer } from './caller.ts'
import { discardBody } from './readBody.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export interface Reply {
  status: number
  body: string | Buffer
  contentType?: string
  /** In addition to the headers of every response. */
  headers?: readonly string[]
  /** Default: responses are not cached. */
  cacheControl?: string
  /** Closes the connection after this response. */
  close?: boolean
}

/** Headers of every response, as name, value, name, value … */
export function baseHeadersOf(publicUrl: string): readonly string[] {
  const headers = ['X-Content-Type-Options', 'nosniff']
  headers.push('Referrer-Policy', 'no-referrer', 'X-Frame-Options', 'DENY')
  headers.push('Cross-Origin-Resource-Policy', 'same-origin')
  if (publicUrl.startsWith('https:')) headers.push('Strict-Transport-Security', 'max-age=31536000')
  return headers
}
/** A response opened as a page runs and loads nothing. */
export const JSON_POLICY = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"] as const

export const headersOf = (reply: Reply, requestId: string, baseHeaders: readonly string[]): string[] => {
  const { body } = reply
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const headers = ['Content-Type', reply.contentType ?? JSON_TYPE]
  // A 304 declares the length of the body that is not sent.
  if (reply.status !== 304) headers.push('Content-Length', String(length))
  headers.push('Cache-Control', reply.cacheControl ?? 'no-store', 'X-Request-Id', requestId, ...baseHeaders)
  if (reply.contentType === undefined) headers.push(...JSON_POLICY)
  if (reply.headers !== undefined) headers.push(...reply.headers)
  if (reply.close) headers.push('Connection', 'close')
  return headers
}

/** The result of a handler. */
export function replyOf(answer: unknown, status: number): Reply {
  if (!isRawAnswer(answer)) {
    const body = JSON.stringify(answer) as string | undefined
    if (body === undefined) throw new TypeError('the handler returned nothing')
    return { status, body }
  }
  const reply: Reply = { status: answer.status ?? status, body: answer.serialised }
  if (answer.contentType !== undefined) reply.contentType = answer.contentType
  if (reply.status === 503) reply.headers = ['Retry-After', '5']
  return reply
}

/** A refusal as JSON, with Retry-After if the caller should wait. */
export function refusalReply(
  error: PitError,
  route: AnyRoute | null,
  headers: readonly string[] = [],
): Reply {
  const status = route === null ? error.status : statusFor(route, error)
  const retryAfterS = status === 429 || status === 503 ? (error.retryAfterS ?? 1) : error.retryAfterS
  return {
    status,
    body: JSON.stringify(toEnvelope(error)),
    headers: retryAfterS === undefined ? headers : [...headers, 'Retry-After', String(retryAfterS)],
  }
}

/** Whether the route table lists this refusal with this status. */
export function isDocumented(route: AnyRoute, error: PitError, status: number): boolean {
  const statuses = route.statusOf[error.code] ?? errorRow(error.code).statuses
  return route.errors.includes(error.code) && (statuses as readonly number[]).includes(status)
}

/** The content of the Expect header. */
export type Expects = 'nothing' | 'continue' | 'something else'

interface Sending {
  req: IncomingMessage
  res: ServerResponse
  expects: Expects
  requestId: string
}

/** Sends the response. Closes the connection if the body was rejected before all of it had arrived. */
export async function sendReply(
  { req, res, expects, requestId }: Sending,
  reply: Reply,
  refused: PitError | null,
  baseHeaders: readonly string[],
): Promise<void> {
  if (res.headersSent || res.destroyed) return
  const isBodyRefused =
    refused !== null && !req.complete && (reply.status === 411 || refused.extras['field'] === 'body')
  if (isBodyRefused) reply.close = true
  res.writeHead(reply.status, headersOf(reply, requestId, baseHeaders))
  if (!isBodyRefused || expects !== 'nothing') {
    res.end(reply.body)
    return
  }
  // Closing while the body arrives would reset the connection before the client has read the response.
  res.write(reply.body)
  await discardBody(req)
  res.end()
}
