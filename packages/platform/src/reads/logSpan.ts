import { setTimeout as sleep } from 'node:timers/promises'
import { saysBusy } from '../rpc/words.ts'
import { RpcError, RpcUnreachable } from '../rpc.ts'
import type { BlockRange } from './logs.ts'

/**
 * How many blocks a node is asked for at once: fewer after it refused so many, more again while it answers.
 */
export interface LogSpan {
  /** The last block of the next range, never past `to`. */
  endOf(range: BlockRange): number
  grow(): void
  /** Half of a range that was refused; false when that range is as small as they get. */
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
      const asked = to - from + 1
      if (asked <= min) return false
      blocks = Math.max(min, Math.floor(asked / 2))
      return true
    },
  }
}

const SIZE_CODES: ReadonlySet<number> = new Set([-32_005])
const SIZE =
  /exceed|more than|too (many|large|wide|big|long)|limited to|maximum|range|response size|time(d)? ?out/i
/** About a block that the node does not have, or about who asks: no smaller range helps. */
const OTHER =
  /header|unknown block|not found|not available|missing trie|pruned|beyond|invalid|unauth|forbidden|api key/i

/**
 * Why a node did not give logs. rate: it was asked too often. size: it was asked for too much. slow: perhaps
 * for too much, perhaps it is down. Only words and codes that speak of size count as such: a range halved for
 * any other trouble would be tiny by the time the node is well again.
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
 * Reads from a block on as far as the node gives at once, and says how far that was: whoever keeps it goes on
 * there. A range refused for its size is halved at once, one that took too long is halved for the next time,
 * and a node that was asked too often is left alone for a moment.
 */
export async function readInSpan<T>(
  span: LogSpan,
  range: BlockRange,
  read: (part: BlockRange) => Promise<T>,
  { wait = sleep as (ms: number) => Promise<unknown> } = {},
): Promise<{ to: number; found: T }> {
  for (let waits = 0; ; ) {
    const part = { from: range.from, to: span.endOf(range) }
    try {
      const found = await read(part)
      span.grow()
      return { to: part.to, found }
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

/** The same kind of error, saying that no smaller range can be asked for. */
function tooSmall({ from, to }: BlockRange, error: RpcError | RpcUnreachable): Error {
  const range = `blocks ${from} to ${to}`
  const why = `${range} are refused for their size and are the smallest range: ${error.message}`
  return error instanceof RpcError
    ? new RpcError('eth_getLogs', error.code, why, error.data)
    : new RpcUnreachable(why, { cause: error, why: error.why })
}
