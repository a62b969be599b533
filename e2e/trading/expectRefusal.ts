import { ERRORS, type ErrorCode, ROUTES, type RouteId } from '@pit/protocol'
import { expect } from 'vitest'

export interface Refused {
  status: number
  code: string
  error: { code: string; message: string; field?: string; [extra: string]: unknown }
  /** `400 BAD_REQUEST amount_in` */
  summary: string
}

/** Beyond the extras of a code's row: retry advice, and the hash of a transaction that may have arrived. */
const ALWAYS = ['code', 'message', 'retry_after_s', 'retry', 'hint', 'tx_hash']

/** Sends a body (an object, or raw text) that must be refused, and compares the answer with the documents. */
export async function refusedBy(
  url: string,
  route: RouteId,
  { body, key }: { body: object | string; key: string | null },
): Promise<Refused> {
  const { method, path, errors } = ROUTES[route]
  const isPost = method === 'POST'
  const answer = await fetch(`${url}${path}${isPost ? '' : body}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(isPost && { 'content-type': 'application/json' }),
    },
    ...(isPost && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, `it was not refused: ${text.slice(0, 300)}`).toBeGreaterThanOrEqual(400)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('x-request-id')).toBeTruthy()

  const { error, ...rest } = JSON.parse(text) as Pick<Refused, 'error'>
  const { status } = answer
  const { code, message, field } = error
  expect(rest).toEqual({})
  expect(message).toMatch(/\S/)
  expect(errors as readonly string[], text).toContain(code)
  const row = ERRORS[code as ErrorCode]
  expect(row.statuses as readonly number[], code).toContain(status)
  expect({ retry: error['retry'], hint: error['hint'] }, code).toEqual({ retry: row.retry, hint: row.hint })
  const extras = Object.keys(error).filter((name) => !ALWAYS.includes(name))
  expect(row.extras as readonly string[], code).toEqual(expect.arrayContaining(extras))
  if (status === 429 || status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  return { status, code, error, summary: `${status} ${code}${field === undefined ? '' : ` ${field}`}` }
}
