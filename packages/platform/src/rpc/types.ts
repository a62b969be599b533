/** The node responded with a JSON-RPC error: `code` 3 carries revert data. */
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
 * No usable response: refused, timed out, cut off, or not JSON-RPC. The call may or may not have had an
 * effect.
 */
export class RpcUnreachable extends Error {
  /**
   * slow: timed out; large: response too large; busy: rate limited; unreadable: unexpected response; foreign:
   * a node of another chain; behind: no node has the block yet; divided: two nodes disagree.
   */
  readonly why: 'slow' | 'large' | 'busy' | 'unreadable' | 'foreign' | 'behind' | 'divided' | 'silent'
  /** Nothing was sent, so the call had no effect. */
  readonly unsent: boolean
  /** Pause that a rate-limiting node asks for, if any. */
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
   * Several calls in one request, answered in order; a failed one returns its error beside the others'
   * results.
   */
  batch(calls: readonly RpcCall[], options?: { timeoutMs?: number }): Promise<RpcAnswer[]>
  /**
   * Calls back on each new block while a node reports them, with the block's JSON if the node sent it; returns
   * the unsubscribe function.
   */
  onHead?(listener: (json?: unknown) => void): () => void
  /** Whether a node reports new blocks now, so that polling can be rare. */
  hearsHeads?(): boolean
  close(): void
}

/** Health of one address, for logs and metrics. Its name never contains the key that a URL may carry. */
export interface AddressHealth {
  name: string
  state: 'up' | 'busy' | 'lagging' | 'down' | 'foreign'
  /** The newest block seen there; null before the first. */
  head: number | null
  lagBlocks: number
  /** Failed and rate-limited requests. */
  failed: number
  busy: number
}

/** Read-only methods that may be retried. All others are sent once. */
const READS =
  /^(eth_(call|blockNumber|chainId|estimateGas|simulateV1|feeHistory|gasPrice|get(?!Filter)\w+)|net_\w+|web3_\w+|debug_trace\w+)$/
export const isRead = ([method]: RpcCall): boolean => READS.test(method)
