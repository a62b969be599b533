import { type AnyRoute, checkAnswer, ERRORS, type ErrorCode, errorRow } from '@pit/protocol'
import type { RawAnswer } from '../rawHttp.ts'
import type { FuzzRequest } from './makeRequest.ts'

/** Refusals before routing. */
const BEFORE_ROUTE: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'UNKNOWN_HOST',
  'COUNTRY_BLOCKED',
]

const statusesOf = (route: AnyRoute, code: ErrorCode): readonly number[] =>
  route.statusOf[code] ?? errorRow(code).statuses

/** The fault of an answer, or null. */
export function judge(
  { route, sound, bytes }: FuzzRequest,
  answer: RawAnswer | null,
  key: string,
): string | null {
  // Blank lines before a request line are skipped: there is no request.
  if (answer === null) return /^[\r\n]*$/.test(bytes.toString('latin1')) ? null : 'no answer'
  const { status, headers, body } = answer
  if (!headers.has('x-request-id')) return 'no X-Request-Id'
  if (headers.get('cache-control') !== 'no-store') return 'may be stored'
  if (Number(headers.get('content-length')) !== Buffer.byteLength(body) && !isHead(bytes))
    return 'wrong Content-Length'
  if (body.includes(key)) return 'echoes the key'
  if (/\\n +at |node_modules|TypeError|SyntaxError/.test(body)) return 'shows its insides'
  // A HEAD answer has no body; the bytes answer a later request.
  if (isHead(bytes) && (body === '' || body.startsWith('HTTP/1.1 '))) return null
  let parsed: { error?: { code: ErrorCode; message: string; retry?: string; hint?: string } }
  try {
    parsed = JSON.parse(body) as typeof parsed
  } catch {
    return status < 400 && !sound ? null : 'not JSON'
  }
  if (status === route.status) {
    if (parsed.error !== undefined) return 'a refusal with the status of an answer'
    return sound ? wrongShape(route, parsed) : null
  }
  if (status in route.statusWhen && parsed.error === undefined)
    return sound ? wrongShape(route, parsed) : null
  if (status < 400) return sound ? `${status} is not this route's` : null
  const code = parsed.error?.code
  if (code === undefined || !(code in ERRORS) || typeof parsed.error?.message !== 'string')
    return 'no envelope'
  const { retry, hint } = errorRow(code)
  if (parsed.error.retry !== retry || parsed.error.hint !== hint) return 'not the retry and hint of its code'
  if (parsed.error.message.startsWith('Something went wrong')) return 'a defect'
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    return 'no Retry-After'
  if (status === 405 && !headers.has('allow')) return 'no Allow'
  const documented = sound ? [...route.errors, 'NOT_FOUND' as const] : null
  if (documented === null) return errorRow(code).statuses.includes(status) ? null : `${status} for ${code}`
  if (!documented.includes(code) && !BEFORE_ROUTE.includes(code))
    return `${code} is not documented for ${route.id}`
  return statusesOf(route, code).includes(status)
    ? null
    : `${status} for ${code} is not documented for ${route.id}`
}

function wrongShape(route: AnyRoute, body: unknown): string | null {
  const checked = checkAnswer(route, body)
  return checked.ok ? null : `not the answer of ${route.id}: ${checked.message}`
}

const isHead = (bytes: Buffer): boolean => bytes.subarray(0, 5).toString('latin1').toUpperCase() === 'HEAD '
