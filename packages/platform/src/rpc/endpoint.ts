import { keepConnections } from '../http/connections/keepConnections.ts'
import { ExchangeFailed, type HttpAnswer } from '../http/exchange.ts'
import { isRead, type RpcAnswer, type RpcCall, RpcError, RpcUnreachable } from './types.ts'

/** One address over kept-alive HTTP connections; every request is bounded in time and size. */
export interface Endpoint {
  /** Without the path, which may contain a key. */
  name: string
  exchange(calls: readonly RpcCall[], terms: ExchangeTerms): Promise<RpcAnswer[]>
  close(): void
}

interface ExchangeTerms {
  boundMs: number
  /** Sends one call outside a batch, as some nodes and all sequencers require. */
  alone: boolean
  /** Reading stops beyond this, and the connection is closed. */
  maxAnswerBytes?: number
}

interface Answered {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

interface PostTerms {
  boundMs: number
  mayAgain: boolean
  maxAnswerBytes: number
}

const MAX_CONNECTIONS = 64
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const TOO_MANY_REQUESTS = 429

const GONE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])
/** The node closed a kept-alive connection as a request went out on it: there was no response. */
const isGone = (error: unknown): boolean =>
  error instanceof ExchangeFailed && error.onStaleConnection && GONE.has(error.code)

function whyOf(error: unknown): RpcUnreachable['why'] {
  if (error instanceof RpcUnreachable) return error.why
  if (!(error instanceof ExchangeFailed)) return 'silent'
  if (error.kind === 'timeout') return 'slow'
  return error.kind === 'too large' ? 'large' : 'silent'
}

/** Seconds, or an HTTP date. */
function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

export function createEndpoint(url: string, { maxConnections = MAX_CONNECTIONS } = {}): Endpoint {
  const target = new URL(url)
  const path = `${target.pathname}${target.search}`
  const connections = keepConnections({ url: target, maxConnections })
  let nextId = 0

  async function post(body: string, boundMs: number, maxAnswerBytes: number): Promise<HttpAnswer> {
    const outcome = await connections.exchange({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: boundMs,
      maxAnswerBytes,
    })
    if (outcome.kind !== 'answer') throw new ExchangeFailed(outcome)
    return outcome
  }

  /** Retries on a new connection, within the same timeout, if that is safe. */
  async function postWell(
    body: string,
    { boundMs, mayAgain, maxAnswerBytes }: PostTerms,
  ): Promise<HttpAnswer> {
    const startedMs = performance.now()
    try {
      return await post(body, boundMs, maxAnswerBytes)
    } catch (error) {
      const leftMs = boundMs - (performance.now() - startedMs)
      if (!isGone(error)) throw error
      // If one kept-alive connection is dead, the others may be too: a restarted node has none of them.
      connections.dropIdle()
      if (!mayAgain || leftMs <= 0) throw error
      return post(body, leftMs, maxAnswerBytes)
    }
  }

  /** Sends and receives JSON; any failure is RpcUnreachable. */
  async function converse(what: string, message: unknown, terms: PostTerms): Promise<unknown> {
    try {
      const { status, headers, text } = await postWell(JSON.stringify(message), terms)
      if (status === TOO_MANY_REQUESTS) {
        const after = retryAfterMs(headers['retry-after'])
        throw new RpcUnreachable('rate limited', { why: 'busy', retryAfterMs: after })
      }
      const answer = JSON.parse(text)
      if (typeof answer !== 'object' || answer === null) throw new Error('not a JSON-RPC response')
      return answer
    } catch (cause) {
      throw new RpcUnreachable(`${what}: ${(cause as Error).message}`, {
        cause,
        why: whyOf(cause),
        unsent: cause instanceof ExchangeFailed && cause.kind === 'unreachable',
        retryAfterMs: cause instanceof RpcUnreachable ? cause.retryAfterMs : null,
      })
    }
  }

  return {
    name: target.host,
    async exchange(calls, { boundMs, alone, maxAnswerBytes = MAX_ANSWER_BYTES }) {
      const messages = calls.map(([method, params]) => ({ jsonrpc: '2.0', id: ++nextId, method, params }))
      const terms = { boundMs, mayAgain: calls.every(isRead), maxAnswerBytes }
      const [first] = messages
      if (alone && first) {
        const answer = (await converse(first.method, first, terms)) as Answered
        return [answerOf(first.method, answer, 'response without a result')]
      }
      const answers = await converse('batch', messages, terms)
      if (!Array.isArray(answers)) throw new RpcUnreachable('batch: the node does not support batches')
      // Responses may come in any order.
      const byId = new Map((answers as Answered[]).map((answer) => [answer?.id, answer]))
      return messages.map(({ id, method }) => answerOf(method, byId.get(id), 'missing in the batch response'))
    },
    close: connections.close,
  }
}

function answerOf(method: string, answer: Answered | undefined, missing: string): RpcAnswer {
  if (answer?.error) {
    const { code = -32_000, message = 'unknown error', data } = answer.error
    return { ok: false, error: new RpcError(method, code, message, data) }
  }
  if (!answer || !('result' in answer)) throw new RpcUnreachable(`${method}: ${missing}`)
  return { ok: true, result: answer.result }
}
