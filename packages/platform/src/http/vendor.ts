import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Clock } from '../clock/clock.ts'
import { type ExchangeRequest, exchange, type HttpAnswer, type NoAnswer } from './exchange.ts'
import { createTokenBucket } from './tokenBucket.ts'

export interface VendorRequest {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** A vendor's response: `body` is its JSON, undefined if an error came without JSON. */
export interface VendorAnswer {
  status: number
  body: unknown
}

/** A request that holds no secret of the user. */
export interface VendorRate {
  perMinute: number
  burst: number
}

export interface Vendor {
  /** Sends the request and parses the response. Throws VendorRefused, which never contains what was sent. */
  ask<T>(request: VendorRequest, read: (answer: VendorAnswer) => T): Promise<T>
}

/** Why there is no usable response, in words that are safe to show. */
export const VENDOR_REFUSALS = {
  OFF: 'Not configured on this server.',
  NO_KEY: 'Requires an API key; none is configured.',
  BUSY: 'Too many open requests.',
  RESTING: 'Rate limited; paused.',
  LATE: 'Timed out.',
  SILENT: 'Unreachable.',
  TOO_LARGE: 'Response too large.',
  NOT_LET_IN: 'Access denied.',
  FAILED: 'Responded with an error.',
  NOT_JSON: 'Response is not JSON.',
  MALFORMED: 'Response is malformed.',
  OTHER: 'Response is for a different request.',
  NO_ROUTE: 'No route found.',
  PARTIAL: 'Quotes only part of the amount.',
  NO_AMOUNT: 'Response has no positive amount.',
  TOO_GOOD: 'Quoted amount is far above the market; ignored.',
} as const
export type VendorRefusal = keyof typeof VENDOR_REFUSALS

export class VendorRefused extends Error {
  readonly code: VendorRefusal
  constructor(code: VendorRefusal, detail?: string) {
    super(detail ?? VENDOR_REFUSALS[code])
    this.code = code
  }
}

/** A vendor's default rate; an account may have a higher or lower one. */
export const rateOf = (usual: VendorRate, perMinute: number | undefined): VendorRate =>
  perMinute === undefined
    ? usual
    : { perMinute, burst: Math.max(Math.min(usual.burst, perMinute), Math.ceil(perMinute / 60)) }

const MAX_ANSWER_BYTES = 262_144
/** Bounds memory if a vendor is slow. */
const MAX_AT_ONCE = 64
/** First pause after a 429 without Retry-After; doubles each time. */
const FIRST_REST_MS = 1_000
/** A longer Retry-After is treated as a mistake. */
const MAX_REST_MS = 3_600_000
const MAX_OWN_REST_MS = 60_000

/** HTTP client of one vendor: bounds time, bytes, concurrency and request rate. */
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

  /** Retries once on a new connection, within the same timeout, if the vendor closed a kept-alive one. */
  async function send({ url, method, headers, body }: VendorRequest): Promise<HttpAnswer | NoAnswer> {
    const target = new URL(url)
    const request: Omit<ExchangeRequest, 'timeoutMs'> = {
      method: method ?? 'GET',
      url: target,
      agent: target.protocol === 'https:' ? agents.https : agents.http,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    }
    const startedMs = performance.now()
    const outcome = await exchange({ ...request, timeoutMs })
    const leftMs = timeoutMs - (performance.now() - startedMs)
    const isStale = outcome.kind === 'broken' && outcome.onStaleConnection && leftMs > 0
    return isStale ? exchange({ ...request, timeoutMs: leftMs }) : outcome
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
      // The error may quote the request, such as a header with the key.
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
        // Some vendors report rate limiting in JSON with status 200.
        if (error instanceof VendorRefused && error.code === 'RESTING') rest(null)
        throw error
      }
    },
  }
}

function refusalOf({ kind, code }: NoAnswer): VendorRefusal {
  if (kind === 'too large') return 'TOO_LARGE'
  // Without a system code, the timeout expired before the connection was made.
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

/** Seconds or a date; null if neither. */
function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}

/** Throws unless the response succeeded. */
export function refuseStatus({ status }: VendorAnswer): void {
  if (status === 401 || status === 403) throw new VendorRefused('NOT_LET_IN', `Access denied (${status}).`)
  if (status !== 200) throw new VendorRefused('FAILED', `Responded with status ${status}.`)
}

/** The value at a path of a vendor's JSON; own properties only. */
export function fieldAt(body: unknown, ...path: (string | number)[]): unknown {
  let at = body
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}
