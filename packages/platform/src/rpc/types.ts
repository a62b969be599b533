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
   * slow: no answer in time; large: more than is read; busy: asked too often; unreadable: not what was asked
   * for; foreign: a node of another chain; behind: no node has the block yet; divided: two nodes disagree.
   */
  readonly why: 'slow' | 'large' | 'busy' | 'unreadable' | 'foreign' | 'behind' | 'divided' | 'silent'
  /** Nothing was sent, so nothing can have been done there. */
  readonly unsent: boolean
  /** How long a busy node asks to be left alone, where it says so. */
  readonly retryAfterMs: number | null
  constructor(
    message: string,
    options: {
      cause?: unknown
      why?: RpcUnreachable['why']
      unsent?: boolean
      retryAfterMs?: number | null
    } = {},
  ) {
    super(message, options)
    this.why = options.why ?? 'silent'
    this.unsent = options.unsent ?? false
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

export type RpcCall = readonly [method: string, params: readonly unknown[]]
export type RpcAnswer = { ok: true; result: unknown } | { ok: false; error: RpcError }

export interface Rpc {
  request<T = unknown>(
    method: string,
    params?: readonly unknown[],
    options?: { timeoutMs?: number },
  ): Promise<T>
  /**
   * Several calls in one request, answered in order; one that fails is its error, beside the others' results.
   */
  batch(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<RpcAnswer[]>
  /** Calls back with each new block while a node tells of them; answers how to stop listening. */
  onHead?(listener: () => void): () => void
  /** Whether a node tells of new blocks now: then looking for them may be rare. */
  hearsHeads?(): boolean
  close(): void
}

/** What is known of one address, for logs and metrics. Its name never has the key that a URL may carry. */
export interface AddressHealth {
  name: string
  state: 'up' | 'busy' | 'lagging' | 'down' | 'foreign'
  /** The newest block heard of there; null before the first. */
  head: number | null
  lagBlocks: number
  /** Exchanges that failed, and that were refused as too many. */
  failed: number
  busy: number
}

/** Asked twice, these answer the same and change nothing. Whatever else there is goes out once. */
const READS =
  /^(eth_(call|blockNumber|chainId|estimateGas|simulateV1|feeHistory|gasPrice|get(?!Filter)\w+)|net_\w+|web3_\w+|debug_trace\w+)$/
export const isRead = ([method]: RpcCall): boolean => READS.test(method)
