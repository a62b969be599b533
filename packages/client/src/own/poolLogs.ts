import { type Address, DYNAMIC_FEE, type Hex, type PoolKey, TOPIC, v4PoolManagerAbi } from '@pit/chain'
import { lower, TRADE } from '@pit/protocol'
import { decodeEventLog } from 'viem'
import type { Pins } from '../pins.ts'
import type { Rpc } from './rpc.ts'

/** v4 pools by their creation logs: the only way to find pools with a hook or an unusual fee. */
export interface PoolLogs {
  keysOf(token: Address, payers: readonly Address[], signal?: AbortSignal): Promise<readonly PoolKey[]>
}

/** Public nodes refuse or delay wide ranges: the trade does not wait longer for them. */
const TIMEOUT_MS = 3_000
const RETRY_REFUSED_MS = 600_000
/** Scanned again each time, for reorganizations and nodes that lag behind each other. */
const OVERLAP_BLOCKS = 5_000
/** Oldest first: later pools cannot push a token's market out. */
const MAX_POOLS = 24
const MAX_TOKENS = 256

interface Scan {
  keys: Map<string, PoolKey>
  nextBlock: number
}

export function createPoolLogs(rpc: Rpc, { profile }: Pins, nowMs: () => number): PoolLogs {
  const scans = new Map<Address, Scan>()
  const manager = profile.contracts.v4_pool_manager
  let refusedUntilMs = 0

  async function scan(
    last: Scan | undefined,
    token: Address,
    payers: readonly Address[],
    signal?: AbortSignal,
  ): Promise<Scan> {
    const fromBlock = last?.nextBlock ?? profile.first_block
    const [one, others] = [[topicOf(token)], payers.map(topicOf)]
    const filters = [
      [others, one],
      [one, others],
    ].map(([currency0, currency1]) => ({
      method: 'eth_getLogs',
      params: [
        {
          address: manager,
          topics: [TOPIC.v4Initialize, null, currency0, currency1],
          fromBlock: `0x${fromBlock.toString(16)}`,
          toBlock: 'latest',
        },
      ],
    }))
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const ends = signal ? AbortSignal.any([signal, limit]) : limit
    const [head, ...logs] = await Promise.race([
      rpc.all([{ method: 'eth_blockNumber', params: [] }, ...filters], ends),
      // A browser wallet does not take a signal.
      rejectedBy(ends),
    ])
    const keys = new Map(last?.keys)
    for (const failed of [head, ...logs]) if (failed instanceof Error) throw failed
    const oldestFirst = (logs as InitializeLog[][])
      .flat()
      .sort((one, other) => Number(one.blockNumber) - Number(other.blockNumber))
    for (const log of oldestFirst) {
      const key = keyIn(log)
      if (key && keys.size < MAX_POOLS) keys.set(log.topics[1]!, key)
    }
    return { keys, nextBlock: Math.max(fromBlock, Number(head) - OVERLAP_BLOCKS) }
  }

  return {
    async keysOf(token, payers, signal) {
      const last = scans.get(token)
      if (!manager || nowMs() < refusedUntilMs) return [...(last?.keys.values() ?? [])]
      try {
        const next = await scan(last, token, payers, signal)
        scans.delete(token)
        scans.set(token, next)
        if (scans.size > MAX_TOKENS) scans.delete(scans.keys().next().value!)
        return [...next.keys.values()]
      } catch {
        signal?.throwIfAborted()
        refusedUntilMs = nowMs() + RETRY_REFUSED_MS
        return [...(last?.keys.values() ?? [])]
      }
    },
  }
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

interface InitializeLog {
  topics: [Hex, ...Hex[]]
  data: Hex
  blockNumber: Hex
}

/** Undefined for a pool whose fee makes it a trap. */
function keyIn({ topics, data }: InitializeLog): PoolKey | undefined {
  const { args } = decodeEventLog({ abi: v4PoolManagerAbi, eventName: 'Initialize', topics, data })
  if (args.fee !== DYNAMIC_FEE && args.fee > TRADE.maxPoolFeePips) return undefined
  return {
    currency0: lower(args.currency0),
    currency1: lower(args.currency1),
    fee: args.fee,
    tickSpacing: args.tickSpacing,
    hooks: lower(args.hooks),
  }
}

const topicOf = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`
