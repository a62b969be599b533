import { RETRIES, type Retry, visibleJson, visibleText } from '@pit/protocol'

/**
 * The server's words in a refusal: decoded, visible characters only, bounded. It proves nothing; quote it.
 * @public
 */
export interface ServerWords {
  /** HTTP status of the response. */
  readonly status: number
  /** Null if the response has no well-formed code. */
  readonly code: string | null
  readonly message: string | null
  readonly retry: Retry | null
  readonly retryAfterS: number | null
  readonly hint: string | null
  /** Its other fields, such as `field`, `checks` or `signer_checks`. */
  readonly fields: Readonly<Record<string, unknown>>
}

const CODE = /^[A-Z][A-Z0-9_]{2,40}$/
const MAX_CHARS = 1_000
const MAX_RETRY_AFTER_S = 7 * 86_400

/** Decodes an error response; `body` is parsed JSON or undefined. */
export function wordsOf(response: Pick<Response, 'status' | 'headers'>, body: unknown): ServerWords {
  const { code, message, retry, hint, retry_after_s, ...fields } = fieldsOf(fieldsOf(body)['error'])
  const afterS = Number(response.headers.get('retry-after') ?? retry_after_s ?? Number.NaN)
  return {
    status: response.status,
    code: typeof code === 'string' && CODE.test(code) ? code : null,
    message: textOf(message),
    retry: isRetry(retry) ? retry : null,
    retryAfterS: afterS >= 0 && afterS <= MAX_RETRY_AFTER_S ? afterS : null,
    hint: textOf(hint),
    fields: visibleJson(fields, { maxChars: MAX_CHARS, maxValues: 1_000 }) as ServerWords['fields'],
  }
}

/** Whether a response has an error object; a simulation's answer has an `error` text. */
export const isErrorResponse = (body: unknown): boolean => isObject(fieldsOf(body)['error'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? visibleText(value, MAX_CHARS) : null
const isRetry = (value: unknown): value is Retry => typeof value === 'string' && Object.hasOwn(RETRIES, value)
