import type { Hex } from '@pit/chain'
import type { Eip1193 } from '../account.ts'
import { PitRefusal } from '../errors.ts'

export interface RpcCall {
  method: string
  params: readonly unknown[]
}
/** The client's own way to the chain. It never goes over the service. */
export interface Rpc {
  /** One exchange for all of them; a call that fails is an error in its place. */
  all(calls: readonly RpcCall[], signal?: AbortSignal): Promise<(unknown | RpcFailure)[]>
}

export class RpcFailure extends Error {
  readonly data: unknown
  constructor(message: string, data?: unknown) {
    super(message)
    this.name = 'RpcFailure'
    this.data = data
  }
}

interface Answered {
  id: number
  result?: unknown
  error?: { message: string; data?: unknown }
}

export function rpcAt(url: string, send: typeof fetch = fetch, timeoutMs = 15_000): Rpc {
  return {
    async all(calls, signal) {
      const limit = AbortSignal.timeout(timeoutMs)
      const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
      let answers: Answered[]
      try {
        const response = await send(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        })
        answers = [(await response.json()) as Answered | Answered[]].flat()
      } catch (cause) {
        signal?.throwIfAborted()
        throw unreachable(url, cause)
      }
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      return calls.map((_, id) => resultOf(byId.get(id)))
    },
  }
}

/** A browser wallet's own node. */
export function rpcOf(provider: Eip1193): Rpc {
  return {
    all: (calls) =>
      Promise.all(
        calls.map(({ method, params }) =>
          provider
            .request({ method, params })
            .catch((error: Error & { data?: unknown }) => new RpcFailure(error.message, error.data)),
        ),
      ),
  }
}

const resultOf = (answer: Answered | undefined): unknown | RpcFailure =>
  answer?.error || answer === undefined
    ? new RpcFailure(answer?.error?.message ?? 'no answer', answer?.error?.data)
    : answer.result

const unreachable = (url: string, cause?: unknown) =>
  new PitRefusal('RPC_UNAVAILABLE', `The node at ${url} does not answer, so nothing can be verified.`, {
    retry: 'pause',
    hint: 'Check the RPC address of your profile.',
    cause,
  })

/** The result, or the failure thrown. */
export function given<T = Hex>(answer: unknown | RpcFailure): T {
  if (answer instanceof RpcFailure)
    throw new PitRefusal('RPC_UNAVAILABLE', `The node refused a reading: ${answer.message}.`, {
      retry: 'pause',
      cause: answer,
    })
  return answer as T
}
