import { setTimeout as sleep } from 'node:timers/promises'
import { RpcError, RpcUnreachable } from '../rpc/index.ts'
import { saysBusy } from '../rpc/words.ts'
import type { BlockRange } from './logs.ts'

/** Adaptive number of blocks per request: halves when the node rejects it, grows again while it answers. */
export interface LogSpan {
  /** The last block of the next range, at most `to`. */
  endOf(range: BlockRange): number
  grow(): void
  /** Halves a rejected range; false if it is already the smallest. */
  shrink(refused: BlockRange): boolean
}

export function createLogSpan({
  max,
  min = 1,
  start = max,
}: {
  max: number
  min?: number
  start?: number
}): LogSpan {
  let blocks = start
  return {
    endOf: ({ from, to }) => Math.min(to, from + blocks - 1),
    grow: () => {
      blocks = Math.min(max, blocks * 2)
    },
    shrink: ({ from, to }) => {
      const blockCount = to - from + 1
      if (blockCount <= min) return false
      blocks = Math.max(min, Math.floor(blockCount / 2))
      return true
    },
  }
}

const SIZE_CODES: ReadonlySet<number> = new Set([-32_005])
const SIZE =
  /exceed|more than|too (many|large|wide|big|long)|limited to|maximum|range|response size|time(d)? ?out/i
/** Errors about a missing block or about the caller: a smaller range does not help. */
const OTHER =
  /header|unknown block|not found|not available|missing trie|pruned|beyond|invalid|unauth|forbidden|api key/i

/**
 * Why a node returned no logs. rate: rate limited. size: the range is too large. slow: perhaps too large,
 * perhaps the node is down. Only errors that mention size count as size: halving the range for other failures
 * would leave it tiny once the node recovers.
 */
export function refusalOf(error: unknown): 'rate' | 'size' | 'slow' | 'other' {
  if (error instanceof RpcUnreachable) {
    if (error.why === 'busy') return 'rate'
    return error.why === 'large' ? 'size' : error.why === 'slow' ? 'slow' : 'other'
  }
  if (!(error instanceof RpcError)) return 'other'
  if (saysBusy(error)) return 'rate'
  if (SIZE_CODES.has(error.code)) return 'size'
  return !OTHER.test(error.message) && SIZE.test(error.message) ? 'size' : 'other'
}

const MAX_WAITS = 4
const FIRST_WAIT_MS = 250

/**
 * Reads logs from a block on, as far as the node returns in one request, and reports how far that was; the
 * caller continues from there. A range rejected for its size is halved at once, a slow one is halved for the
 * next request, and a rate-limited request is retried after a pause.
 */
export async function readInSpan<T>(
  span: LogSpan,
  range: BlockRange,
  read: (part: BlockRange) => Promise<T>,
  { wait = sleep as (ms: number) => Promise<unknown> } = {},
): Promise<{ to: number; result: T }> {
  for (let waits = 0; ; ) {
    const part = { from: range.from, to: span.endOf(range) }
    try {
      const result = await read(part)
      span.grow()
      return { to: part.to, result: result }
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === 'rate' && waits < MAX_WAITS) await wait(FIRST_WAIT_MS * 2 ** waits++)
      else if (refusal === 'slow') {
        span.shrink(part)
        throw error
      } else if (refusal !== 'size') throw error
      else if (!span.shrink(part)) throw tooSmall(part, error as RpcError | RpcUnreachable)
    }
  }
}

/** The same kind of error, with a note that the range cannot shrink further. */
function tooSmall({ from, to }: BlockRange, error: RpcError | RpcUnreachable): Error {
  const range = `blocks ${from} to ${to}`
  const why = `${range}: too many logs even for the smallest range: ${error.message}`
  return error instanceof RpcError
    ? new RpcError('eth_getLogs', error.code, why, error.data)
    : new RpcUnreachable(why, { cause: error, why: error.why })
}
