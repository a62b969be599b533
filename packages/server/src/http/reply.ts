import { type AnyRoute, errorRow, type PitError, statusFor, toEnvelope } from '@pit/protocol'

const JSON_TYPE = 'application/json; charset=utf-8'

export interface Reply {
  status: number
  body: string | Buffer
  contentType?: string
  /** Beyond the ones every answer has. */
  headers?: readonly string[]
  /** Ends the connection after this answer. */
  close?: boolean
}

/** What every answer carries, as name, value, name, value … */
export function standingHeaders(publicUrl: string): readonly string[] {
  const headers = [
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
  ]
  headers.push('X-Frame-Options', 'DENY', 'Cross-Origin-Resource-Policy', 'same-origin')
  if (publicUrl.startsWith('https:')) headers.push('Strict-Transport-Security', 'max-age=31536000')
  return headers
}
/** JSON is never a page: nothing in it may run. */
export const JSON_POLICY = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"] as const

export const headersOf = (reply: Reply, requestId: string, standing: readonly string[]): string[] => {
  const { body } = reply
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const headers = ['Content-Type', reply.contentType ?? JSON_TYPE, 'Content-Length', String(length)]
  headers.push('X-Request-Id', requestId, ...standing)
  if (reply.contentType === undefined) headers.push(...JSON_POLICY)
  if (reply.headers !== undefined) headers.push(...reply.headers)
  if (reply.close) headers.push('Connection', 'close')
  return headers
}

/** A refusal in the envelope, with Retry-After where the caller should wait. */
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

/** Whether the route table says that this route may answer so. */
export function isDocumented(route: AnyRoute, error: PitError, status: number): boolean {
  const statuses = route.statusOf[error.code] ?? errorRow(error.code).statuses
  return route.errors.includes(error.code) && (statuses as readonly number[]).includes(status)
}
