import { type Address, DYNAMIC_FEE, type V4Pool, v4StateViewAbi } from '@pit/chain'
import type { Logger } from '@pit/platform/monitoring'
import { askMulticall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { AnyPool } from './poolLogs.ts'

const WHOLE_FEE_PIPS = 1_000_000
/** Pools whose dynamic fee is read with each block; reading more would delay blocks. */
const MAX_DYNAMIC = 256

/** Fees that a hook may change at any time without a log, read with each block. */
export interface DynamicFees {
  add(pool: AnyPool): void
  remove(pool: AnyPool): void
  followed(): V4Pool[]
  /** Whether every followed fee was read when last read. */
  areRead(): boolean
  /** An unresponsive pool is skipped, and an unreadable fee keeps its last value. */
  read(pools: readonly V4Pool[], block: number): Promise<Map<V4Pool, number>>
}

const hasDynamicFee = (pool: AnyPool): pool is V4Pool => pool.version === 'v4' && pool.key.fee === DYNAMIC_FEE

export function createDynamicFees({
  rpc,
  multicall3,
  stateView,
  knownHooks,
  logger,
}: {
  rpc: Rpc
  multicall3: Address
  stateView: Address | null
  knownHooks: ReadonlySet<string>
  logger: Logger
}): DynamicFees {
  const pools = new Set<V4Pool>()
  const unread = new Set<V4Pool>()
  const slot0 = { abi: v4StateViewAbi, functionName: 'getSlot0' } as const
  return {
    add(pool) {
      if (!hasDynamicFee(pool)) return
      // 100% until the real fee is read: no quote is better than a wrong one.
      if (pool.lpFeePips === 0) pool.lpFeePips = WHOLE_FEE_PIPS
      // Anyone can open pools with a custom hook; those are quoted by the chain or not at all.
      if (!knownHooks.has(pool.key.hooks) || pools.size >= MAX_DYNAMIC) return
      pools.add(pool)
      unread.add(pool)
    },
    remove(pool) {
      // Unknown again: it may differ by the time the pool comes back.
      if (!hasDynamicFee(pool) || !pools.delete(pool)) return
      unread.delete(pool)
      pool.lpFeePips = 0
    },
    followed: () => [...pools],
    areRead: () => unread.size === 0,
    async read(some, block) {
      const fees = new Map<V4Pool, number>()
      for (const pool of some) if (pools.has(pool)) unread.add(pool)
      if (!stateView || some.length === 0) return fees
      const calls = some.map(({ id }) => ({
        to: stateView,
        data: encodeFunctionData({ ...slot0, args: [id] }),
      }))
      try {
        const answers = await readOne(rpc, askMulticall(multicall3, calls, { block }))
        for (const [i, data] of answers.entries())
          if (data !== null) fees.set(some[i]!, decodeFunctionResult({ ...slot0, data })[3])
        for (const pool of fees.keys()) unread.delete(pool)
      } catch (error) {
        logger.warn({ err: error, block }, 'failed to read dynamic fees')
      }
      return fees
    },
  }
}
