import {
  type Answer,
  API_PREFIX,
  type BodyInput,
  type Params,
  PLACES,
  type Place,
  type QueryInput,
  RETRIES,
  type Retry,
  type RouteId,
  trimEnd,
} from '@pit/protocol'
import { PitRefusal, serverRefusal } from './errors.ts'
import { decodeAnswer, parseBounded } from './gate.ts'
import { readBounded, TooLong } from './readBounded.ts'
import { isErrorResponse, wordsOf } from './serverWords.ts'

/**
 * Options of a call by `api`.
 * @public
 */
export interface CallOptions {
  signal?: AbortSignal | undefined
}

type Field<Name extends string, T> = Record<never, never> extends T ? { [K in Name]?: T } : { [K in Name]: T }
/**
 * Input of a route: path `params`, `query` and `body`.
 * @public
 */
export type Ask<Id extends RouteId> = Field<'params', Params<Id>> &
  Field<'query', QueryInput<Id>> &
  Field<'body', BodyInput<Id>>
type Method<Id extends RouteId> =
  Record<never, never> extends Ask<Id>
    ? (input?: Ask<Id>, options?: CallOptions) => Promise<Answer<Id>>
    : (input: Ask<Id>, options?: CallOptions) => Promise<Answer<Id>>
/**
 * One method for each route, by the route's id: `api['live.quote']({ body })`.
 * @public
 */
export type Api = { readonly [Id in RouteId]: Method<Id> }

export interface TransportOptions {
  /** Base URL of the server: `https://pit.example`. */
  url: string
  apiKey?(): string | null
  fetch?: typeof fetch
  /** How often a call is tried in all. */
  maxTries?: number
  /** A longer Retry-After is not waited for: the refusal is thrown. */
  maxWaitS?: number
  /** Of one try. */
  timeoutMs?: number
  /** Longer responses are refused, counted after decompression (default 8 MiB). */
  maxResponseBytes?: number
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

const FIRST_PAUSE_MS = 250
/** The longest honest response is a fraction of it. */
const MAX_RESPONSE_BYTES = 8 << 20
/** Routes that act: when the answer is lost, the caller has to look first. The rest may be asked again. */
const ACTS: ReadonlySet<RouteId> = new Set([
  'auth.verify',
  'auth.revoke_all',
  'live.submit',
  'live.fast',
  'live.session.grant',
  'live.session.trade',
  'hosted.create',
  'hosted.rotate_executor',
  'hosted.rotate_webhook_secret',
  'hosted.refund_gas',
  'hosted.stock_attestation',
  'league.enter',
  'league.confirm',
  'paper.order',
])

/**
 * The routes alone, without verification: for programs that only read.
 * @public
 */
export function createApi(options: TransportOptions): Api {
  const methods = Object.keys(PLACES).map((id) => [
    id,
    (input: object = {}, call: CallOptions = {}) => request(options, id as RouteId, input, call),
  ])
  return Object.fromEntries(methods) as Api
}

interface CallParams {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: object
}

async function request(
  options: TransportOptions,
  id: RouteId,
  asked: CallParams,
  { signal }: CallOptions,
): Promise<unknown> {
  const { maxTries = 4, maxWaitS = 10, sleep = pause } = options
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    try {
      return await tryOnce(options, id, asked, signal)
    } catch (error) {
      const waitMs = error instanceof PitRefusal ? waitOf(error, tries) : null
      if (waitMs === null || tries >= maxTries || waitMs > maxWaitS * 1000) throw error
      await sleep(waitMs, signal)
    }
  }
}

/** How long until it is worth another try; null when it is not. */
function waitOf({ retry, retryAfterS }: PitRefusal, tries: number): number | null {
  if (retry !== 'pause') return null
  return retryAfterS === undefined ? FIRST_PAUSE_MS * 2 ** (tries - 1) : retryAfterS * 1000
}

async function tryOnce(
  {
    url,
    apiKey,
    fetch: send = fetch,
    timeoutMs = 30_000,
    maxResponseBytes = MAX_RESPONSE_BYTES,
  }: TransportOptions,
  id: RouteId,
  asked: CallParams,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { method } = PLACES[id]
  const key = apiKey?.() ?? null
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
  if (method === 'POST') headers['content-type'] = 'application/json'
  const limit = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string
  try {
    response = await send(addressOf(url, id, asked), {
      method,
      headers,
      ...(method === 'POST' && { body: JSON.stringify(asked.body ?? {}) }),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: 'error',
    })
    text = await readBounded(response, maxResponseBytes)
  } catch (cause) {
    signal?.throwIfAborted()
    const why = cause instanceof TooLong ? `: ${cause.message}` : ''
    throw new PitRefusal('SERVER_UNREACHABLE', `${id} had no usable response from ${url}${why}.`, {
      retry: unansweredRetry(id),
      hint: ACTS.has(id)
        ? RETRIES.look_first
        : 'Check that the server is running and that its address is right.',
      cause,
    })
  }
  return readAnswer(id, response, text)
}

/** Every response passes here, so that callers see decoded answers only. */
async function readAnswer(id: RouteId, response: Response, text: string): Promise<unknown> {
  const body = parseBounded(text)
  const { statusWhen = {} }: Place = PLACES[id]
  const mayAnswer = Object.hasOwn(statusWhen, response.status) && !isErrorResponse(body)
  if (response.ok || mayAnswer) return decodeAnswer(id, body, ACTS.has(id))
  throw serverRefusal(wordsOf(response, body), retryOfStatus(id, response.status))
}

/** For answers that do not say: a proxy's, for example. After a gateway's error it may have happened. */
const retryOfStatus = (id: RouteId, status: number): Retry => {
  if (status === 429) return 'pause'
  return status >= 500 || status < 400 ? unansweredRetry(id) : 'different_request'
}
const unansweredRetry = (id: RouteId): Retry => (ACTS.has(id) ? 'look_first' : 'pause')

function addressOf(url: string, id: RouteId, { params = {}, query = {} }: CallParams): string {
  const path = PLACES[id].path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${id} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  const search = fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
  return `${trimEnd(url, '/')}${API_PREFIX}${path}${search}`
}

export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
