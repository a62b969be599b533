import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { ExchangeFailed, exchangeOrThrow, type HttpAnswer } from './exchange.ts'

/** The node answered with a JSON-RPC error: `code` 3 carries revert data. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(method: string, code: number, message: string, data: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.data = data
  }
}

/**
 * No usable answer: refused, timed out, cut off, or not JSON-RPC. The call may or may not have had an effect.
 */
export class RpcUnreachable extends Error {
  /**
   * slow: no answer in time; large: more than is read; busy: HTTP 429; unreadable: not what was asked for.
   */
  readonly why: 'slow' | 'large' | 'busy' | 'unreadable' | 'silent'
  constructor(message: string, options: { cause?: unknown; why?: RpcUnreachable['why'] } = {}) {
    super(message, options)
    this.why = options.why ?? 'silent'
  }
}

export interface Rpc {
  request<T = unknown>(
    method: string,
    params?: readonly unknown[],
    options?: { timeoutMs?: number },
  ): Promise<T>
  /**
   * Several calls in one request, answered in order; one that fails is its error, beside the others' results.
   */
  batch(
    calls: readonly RpcCall[],
    options?: { timeoutMs?: number },
  ): Promise<({ ok: true; result: unknown } | { ok: false; error: RpcError })[]>
  close(): void
}

export type RpcCall = readonly [method: string, params: readonly unknown[]]

interface Answered {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}
const errorOf = (method: string, error: NonNullable<Answered['error']>): RpcError =>
  new RpcError(method, error.code ?? -32_000, error.message ?? 'unknown error', error.data)

/**
 * Connections idle for longer are closed here: many servers close theirs after five seconds, and a transaction
 * that goes out just then is lost without anybody knowing.
 */
const IDLE_MS = 3_000
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

const GONE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])
/** The node closed a kept-alive connection just as a request went out on it: nothing was answered. */
const isGone = (error: unknown): boolean =>
  error instanceof ExchangeFailed && error.onStaleConnection && GONE.has(error.code)

function whyOf(error: unknown, status: number): RpcUnreachable['why'] {
  if (status === 429) return 'busy'
  if (!(error instanceof ExchangeFailed)) return 'silent'
  if (error.kind === 'timeout') return 'slow'
  return error.kind === 'too large' ? 'large' : 'silent'
}

/** Asked twice, these answer the same and change nothing. Whatever else there is goes out once. */
const READS =
  /^(eth_(call|blockNumber|chainId|estimateGas|simulateV1|feeHistory|gasPrice|get(?!Filter)\w+)|net_\w+|web3_\w+|debug_trace\w+)$/
const isRead = ([method]: RpcCall): boolean => READS.test(method)

/** A JSON-RPC client over kept-alive HTTP connections; every call is bounded in time and size. */
export function createRpc({ url, timeoutMs = 5_000 }: { url: string; timeoutMs?: number }): Rpc {
  const target = new URL(url)
  const agent =
    target.protocol === 'https:'
      ? new HttpsAgent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS })
      : new HttpAgent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS, noDelay: true })
  let nextId = 0

  const post = (body: string, boundMs: number): Promise<HttpAnswer> =>
    exchangeOrThrow({
      method: 'POST',
      url: target,
      agent,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: boundMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })

  /** Where one kept connection was dead, the others may be too: a node that came back knows none of them. */
  const dropKept = (): void => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
  }

  /** Once more on a new connection, within the same bound, where that can do no harm. */
  async function postWell(
    body: string,
    { boundMs, mayAgain }: { boundMs: number; mayAgain: boolean },
  ): Promise<HttpAnswer> {
    const startedMs = performance.now()
    try {
      return await post(body, boundMs)
    } catch (error) {
      const leftMs = boundMs - (performance.now() - startedMs)
      if (!isGone(error)) throw error
      dropKept()
      if (!mayAgain || leftMs <= 0) throw error
      return post(body, leftMs)
    }
  }

  /** Sends and reads JSON; whatever goes wrong on the way is the node's silence. */
  async function exchange(
    what: string,
    message: unknown,
    { boundMs = timeoutMs, mayAgain }: { boundMs?: number | undefined; mayAgain: boolean },
  ): Promise<unknown> {
    let status = 0
    try {
      const heard = await postWell(JSON.stringify(message), { boundMs, mayAgain })
      status = heard.status
      const answer = JSON.parse(heard.text)
      if (typeof answer !== 'object' || answer === null) throw new Error('not a JSON-RPC answer')
      return answer
    } catch (cause) {
      throw new RpcUnreachable(`${what}: ${(cause as Error).message}`, { cause, why: whyOf(cause, status) })
    }
  }
  const messageOf = ([method, params]: RpcCall) => ({ jsonrpc: '2.0', id: ++nextId, method, params })

  return {
    async request<T>(method: string, params: readonly unknown[] = [], options: { timeoutMs?: number } = {}) {
      const call: RpcCall = [method, params]
      const terms = { boundMs: options.timeoutMs, mayAgain: isRead(call) }
      const answer = (await exchange(method, messageOf(call), terms)) as Answered
      if (answer.error) throw errorOf(method, answer.error)
      if (!('result' in answer)) throw new RpcUnreachable(`${method}: answer without a result`)
      return answer.result as T
    },
    async batch(calls, options = {}) {
      if (calls.length === 0) return []
      const messages = calls.map(messageOf)
      const terms = { boundMs: options.timeoutMs, mayAgain: calls.every(isRead) }
      const answers = await exchange('batch', messages, terms)
      if (!Array.isArray(answers)) throw new RpcUnreachable('batch: the node takes no batches')
      // A node may answer in any order.
      const byId = new Map((answers as Answered[]).map((answer) => [answer?.id, answer]))
      return messages.map(({ id, method }) => {
        const answer = byId.get(id)
        if (answer?.error) return { ok: false, error: errorOf(method, answer.error) }
        if (!answer || !('result' in answer)) throw new RpcUnreachable(`${method}: no answer in the batch`)
        return { ok: true, result: answer.result }
      })
    },
    close: () => agent.destroy(),
  }
}
