import { keccak256 } from 'viem'
import { rpcFailure } from '../engine/provider.ts'
import type { Hex } from '../engine/types.ts'
import { type Habits, numberIn, STATE_READS, toTag } from './habits.ts'

/** Limits of the public node of chain 4663. */
export interface StrictLimits {
  /** Logs in one response. */
  logMatches: number
  /** The same for a range of at most NEAR_BLOCKS. */
  logMatchesNear: number
  /** Blocks in one range. */
  logBlocks: number
  /** Blocks whose state is kept. */
  stateBlocks: number
  /** Budget of all callers together per second. */
  costPerS: number
  /** Lifetime of a WebSocket. */
  socketLifeS: number
}

const NEAR_BLOCKS = 1_001
/** A query this much larger than the limit times out. */
const TIMES_OUT_AT = 5
const MISSING = /^(debug|trace|arbtrace|txpool)_/

/** The public node's limits: missing methods and capped results. */
export function strictHabits({ head, limits }: { head(): number; limits: StrictLimits }): Habits {
  const refuseOldState = (tag: unknown): void => {
    const number = numberIn(tag)
    if (number === null || number > head() - limits.stateBlocks) return
    const root = keccak256(toTag(number).padEnd(10, '0') as Hex)
    throw rpcFailure(
      -32000,
      `missing trie node ${root.slice(2)} (path ) state ${root} is not available, not found`,
    )
  }
  const rangeOf = (filter: unknown): number => {
    const { fromBlock, toBlock, blockHash } = (filter ?? {}) as Record<string, unknown>
    if (blockHash !== undefined) return 1
    return (numberIn(toBlock) ?? head()) - (numberIn(fromBlock) ?? head()) + 1
  }
  return {
    before(method, params) {
      if (MISSING.test(method))
        throw rpcFailure(-32601, `the method ${method} does not exist/is not available`)
      const place = STATE_READS[method]
      if (place !== undefined) refuseOldState(params[place])
      if (method === 'eth_getLogs' && rangeOf(params[0]) > limits.logBlocks)
        throw rpcFailure(-32000, `block range of ${rangeOf(params[0])} exceeds limit of ${limits.logBlocks}`)
      return params
    },
    after(method, params, result) {
      if (method === 'eth_getLogs' && Array.isArray(result)) {
        const most = rangeOf(params[0]) <= NEAR_BLOCKS ? limits.logMatchesNear : limits.logMatches
        if (result.length > most * TIMES_OUT_AT) throw rpcFailure(-32000, 'log query timed out')
        if (result.length > most)
          throw rpcFailure(-32000, `query returned ${result.length} results: exceeds limit of ${most}`)
        return result.map(untimed)
      }
      if (method === 'eth_getTransactionReceipt') return withLogs(result)
      if (method === 'eth_getBlockReceipts' && Array.isArray(result)) return result.map(withLogs)
      if (/^eth_getFilter/.test(method) && Array.isArray(result)) return result.map(untimed)
      return result
    },
  }
}

/** Logs have the field, and it is always zero. */
const untimed = (log: unknown): unknown =>
  typeof log === 'object' && log !== null && 'topics' in log ? { ...log, blockTimestamp: '0x0' } : log

function withLogs(receipt: unknown): unknown {
  const logs = (receipt as { logs?: unknown[] } | null)?.logs
  return Array.isArray(logs) ? { ...(receipt as object), logs: logs.map(untimed) } : receipt
}

const COSTS: Readonly<Record<string, number>> = {
  eth_getLogs: 20,
  eth_simulateV1: 20,
  eth_getBlockReceipts: 10,
  eth_estimateGas: 4,
  eth_call: 2,
}
const BURST_S = 2

export interface Meter {
  /** Seconds to wait before this request; 0: none. */
  take(text: string): number
}

/** Requests cost, and the budget refills by the second. Test methods are free. */
export function createMeter(costPerS: number, nowMs: () => number = () => performance.now()): Meter {
  let left = costPerS * BURST_S
  let atMs = nowMs()
  return {
    take(text) {
      let cost = 0
      for (const [, method] of text.matchAll(/"method"\s*:\s*"(\w+)"/g))
        cost += /^(devnet|hardhat|evm)_/.test(method!) ? 0 : (COSTS[method!] ?? 1)
      left = Math.min(costPerS * BURST_S, left + ((nowMs() - atMs) / 1000) * costPerS)
      atMs = nowMs()
      // A batch more expensive than the whole budget is served when the budget is full.
      if (cost > 0 && left < Math.min(cost, costPerS * BURST_S)) return 1
      left -= cost
      return 0
    },
  }
}
