import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Clock } from './clock.ts'
import { type ExchangeRequest, exchange, type HttpAnswer, type NoAnswer } from './exchange.ts'
import { createTokenBucket } from './tokenBucket.ts'

export interface VendorRequest {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** A vendor's answer: `body` is its JSON, undefined where a refusal came as other text. */
export interface VendorAnswer {
  status: number
  body: unknown
}

/** Questions that anybody may ask of a vendor. */
export interface VendorRate {
  perMinute: number
  burst: number
}

export interface Vendor {
  /** What `read` makes of the answer. Throws VendorRefused, which never says what was sent. */
  ask<T>(request: VendorRequest, read: (answer: VendorAnswer) => T): Promise<T>
}

/** Why a vendor's answer is none, in words that may be shown to anybody. */
export const VENDOR_REFUSALS = {
  OFF: 'It is not set up here.',
  NO_KEY: 'It needs a key, and none is set here.',
  BUSY: 'Too many questions are open.',
  RESTING: 'It asks us to slow down.',
  LATE: 'It did not answer in time.',
  SILENT: 'It does not answer.',
  TOO_LARGE: 'Its answer is too large.',
  NOT_LET_IN: 'It does not let us in.',
  FAILED: 'It answers with an error.',
  NOT_JSON: 'Its answer is not JSON.',
  MALFORMED: 'Its answer is malformed.',
  OTHER: 'Its answer is about something else.',
  NO_ROUTE: 'It has no route.',
  PARTIAL: 'It quotes a part of the amount only.',
  NO_AMOUNT: 'Its answer has no amount above zero.',
  TOO_GOOD: 'Its amount is far above the market: not believed.',
} as const
export type VendorRefusal = keyof typeof VENDOR_REFUSALS

export class VendorRefused extends Error {
  readonly code: VendorRefusal
  constructor(code: VendorRefusal, detail?: string) {
    super(detail ?? VENDOR_REFUSALS[code])
    this.code = code
  }
}

/** A vendor's usual rate, or the one of an account that may ask more or less. */
export const rateOf = (usual: VendorRate, perMinute: number | undefined): VendorRate =>
  perMinute === undefined
    ? usual
    : { perMinute, burst: Math.max(Math.min(usual.burst, perMinute), Math.ceil(perMinute / 60)) }

const MAX_ANSWER_BYTES = 262_144
/** A slow vendor must not fill our memory. */
const MAX_AT_ONCE = 64
/** A rest after a 429 without Retry-After doubles from this. */
const FIRST_REST_MS = 1_000
/** A longer Retry-After is taken for a mistake. */
const MAX_REST_MS = 3_600_000
const MAX_OWN_REST_MS = 60_000

/** One outside vendor over HTTP: bounded in time, bytes, questions at once and by the vendor's own rate. */
export function createVendor({
  rate,
  timeoutMs,
  clock,
}: {
  rate: VendorRate
  timeoutMs: number
  clock: Clock
}): Vendor {
  const bucket = createTokenBucket({ ...rate, clock })
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  let underWay = 0
  let rests = 0
  let restUntilMs = Number.NEGATIVE_INFINITY

  /** Once more on another connection, within the same bound, where the vendor had closed a kept one. */
  async function send({ url, method, headers, body }: VendorRequest): Promise<HttpAnswer | NoAnswer> {
    const target = new URL(url)
    const asked: Omit<ExchangeRequest, 'timeoutMs'> = {
      method: method ?? 'GET',
      url: target,
      agent: target.protocol === 'https:' ? agents.https : agents.http,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    }
    const startedMs = performance.now()
    const outcome = await exchange({ ...asked, timeoutMs })
    const leftMs = timeoutMs - (performance.now() - startedMs)
    const isStale = outcome.kind === 'broken' && outcome.onStaleConnection && leftMs > 0
    return isStale ? exchange({ ...asked, timeoutMs: leftMs }) : outcome
  }

  function rest(retryAfterMs: number | null): void {
    const ownMs = Math.min(FIRST_REST_MS * 2 ** rests, MAX_OWN_REST_MS)
    rests = Math.min(rests + 1, 10)
    restUntilMs = clock.nowMs() + Math.min(retryAfterMs ?? ownMs, MAX_REST_MS)
  }

  async function answerOf(request: VendorRequest): Promise<VendorAnswer> {
    if (clock.nowMs() < restUntilMs || !bucket.take()) throw new VendorRefused('RESTING')
    if (underWay >= MAX_AT_ONCE) throw new VendorRefused('BUSY')
    underWay += 1
    const answer = await send(request)
      // What cannot be sent may be named in the error, such as a header with the key.
      .catch(() => {
        throw new VendorRefused('SILENT')
      })
      .finally(() => {
        underWay -= 1
      })
    if (answer.kind !== 'answer') throw new VendorRefused(refusalOf(answer))
    const { status, headers } = answer
    const retryAfterMs = readRetryAfter(headers['retry-after'], clock.nowMs())
    if (status === 429 || (status === 503 && retryAfterMs !== null)) rest(retryAfterMs)
    if (status === 429) throw new VendorRefused('RESTING')
    if (status >= 300 && status < 400) throw new VendorRefused('SILENT')
    return { status, body: parse(answer) }
  }

  return {
    async ask(request, read) {
      const answer = await answerOf(request)
      try {
        const value = read(answer)
        rests = 0
        return value
      } catch (error) {
        // Some say in their JSON, with status 200, that they are asked too often.
        if (error instanceof VendorRefused && error.code === 'RESTING') rest(null)
        throw error
      }
    },
  }
}

function refusalOf({ kind, code }: NoAnswer): VendorRefusal {
  if (kind === 'too large') return 'TOO_LARGE'
  // Without a code of the system it was the time that ran out before there was a connection.
  return kind === 'timeout' || (kind === 'unreachable' && code === undefined) ? 'LATE' : 'SILENT'
}

function parse({ status, text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (status < 300) throw new VendorRefused('NOT_JSON')
    return undefined
  }
}

/** Seconds or a date; null for neither. */
function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}

/** Refuses an answer that is no success, in the words its status has. */
export function refuseStatus({ status }: VendorAnswer): void {
  if (status === 401 || status === 403)
    throw new VendorRefused('NOT_LET_IN', `It does not let us in (${status}).`)
  if (status !== 200) throw new VendorRefused('FAILED', `It answered ${status}.`)
}

/** What stands at a path of a vendor's JSON: own fields of objects and lists only. */
export function fieldAt(body: unknown, ...path: (string | number)[]): unknown {
  let at = body
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}
