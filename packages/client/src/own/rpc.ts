import type { Address, Hex } from '@pit/chain'
import type { Eip1193 } from '../account.ts'
import { PitRefusal } from '../errors.ts'

export interface RpcCall {
  method: string
  params: readonly unknown[]
}
/**
 * The client's own way to the chain. It never goes over the service.
 * @public
 */
export interface Rpc {
  /** One exchange for all of them; a call that fails is an error in its place. */
  all(calls: readonly RpcCall[], signal?: AbortSignal): Promise<(unknown | RpcFailure)[]>
}

export class RpcFailure extends Error {
  readonly data: unknown
  /** Of the JSON-RPC error, if the node gave one. */
  readonly code: number | undefined
  constructor(message: string, { data, code }: { data?: unknown; code?: unknown } = {}) {
    super(message)
    this.name = 'RpcFailure'
    this.data = data
    this.code = typeof code === 'number' ? code : undefined
  }
}

/** JSON-RPC, EIP-1474 and EIP-1193, in this order. */
const METHOD_UNSUPPORTED: ReadonlySet<number | undefined> = new Set([-32601, -32004, 4200])
const EXECUTION_REVERTED = 3

/** By the code alone: words of a node that is behind or overloaded look the same. */
export const isUnsupported = ({ code }: RpcFailure): boolean => METHOD_UNSUPPORTED.has(code)
/** The chain's result, not the node's failure: the call ran and reverted. */
export const isReverted = ({ code, data }: RpcFailure): boolean =>
  code === EXECUTION_REVERTED || (typeof data === 'string' && /^0x[0-9a-f]*$/i.test(data))

export const ethCall = (to: Address, data: Hex): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
})

interface Answered {
  id: number
  result?: unknown
  error?: { message: string; data?: unknown; code?: unknown }
}

/**
 * Your node, by its address.
 * @public
 */
export function rpcAt(url: string, send: typeof fetch = fetch, timeoutMs = 15_000): Rpc {
  return {
    async all(calls, signal) {
      const limit = AbortSignal.timeout(timeoutMs)
      const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
      let answers: Answered[]
      try {
        const response = await patiently(() =>
          send(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
            signal: signal ? AbortSignal.any([signal, limit]) : limit,
          }),
        )
        answers = [(await response.json()) as Answered | Answered[]].flat()
      } catch (cause) {
        signal?.throwIfAborted()
        throw unreachable(url, cause)
      }
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      return calls.map((_, id) => resultOrFailure(byId.get(id)))
    },
  }
}

const TOO_MANY_REQUESTS = 429
const TRIES = 4
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 2_000

/** A node that was asked too often is asked again, after as long as it says or twice as long each time. */
async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await ask()
    if (response.status !== TOO_MANY_REQUESTS || tries === TRIES) return response
    const saidMs = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000
    const waitMs = Number.isFinite(saidMs) ? saidMs : FIRST_WAIT_MS * 2 ** tries
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, MAX_WAIT_MS)))
  }
}

/**
 * A browser wallet's own node.
 * @public
 */
export function rpcOf(provider: Eip1193): Rpc {
  return {
    all: (calls) =>
      Promise.all(
        calls.map(({ method, params }) =>
          provider.request({ method, params }).catch((error: WalletError) => failureIn(error)),
        ),
      ),
  }
}

type WalletError = Error & { data?: unknown; code?: unknown }

/** Wallets wrap the node's error in the data of theirs. */
function failureIn(error: WalletError): RpcFailure {
  const inner = error.data as Partial<WalletError> | null | undefined
  return typeof inner === 'object' && typeof inner?.code === 'number'
    ? new RpcFailure(String(inner.message ?? error.message), inner)
    : new RpcFailure(error.message, error)
}

const resultOrFailure = (answer: Answered | undefined): unknown | RpcFailure =>
  answer?.error || answer?.result === undefined
    ? new RpcFailure(answer?.error?.message ?? 'no answer', answer?.error)
    : answer.result

const unreachable = (url: string, cause?: unknown) =>
  new PitRefusal('RPC_UNAVAILABLE', `The node at ${url} does not respond, so nothing can be verified.`, {
    retry: 'pause',
    hint: 'Check the RPC address of your profile.',
    cause,
  })

/** The result, or the failure thrown. */
export function resultOf<T = Hex>(answer: unknown | RpcFailure): T {
  if (answer instanceof RpcFailure)
    throw new PitRefusal('RPC_UNAVAILABLE', `The node rejected a request: ${answer.message}.`, {
      retry: 'pause',
      cause: answer,
    })
  return answer as T
}
