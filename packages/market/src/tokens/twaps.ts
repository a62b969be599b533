import { type Address, sqrtPriceAtTick, v3PoolAbi } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS } from '@pit/platform/clock'
import { askMulticall, readOne } from '@pit/platform/reads'
import { TOKENS } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { TokenDeps } from './deps.ts'

/** A v3 pool's time-weighted mean price, from the contract's observations. */
export interface Twap {
  /** Atoms of token1 for one atom of token0. */
  mid: number
  readAtS: number
}

export interface Twaps {
  /**
   * Reads a pool's mean, at most every few seconds: one read serves all callers meanwhile. False if nothing was
   * read.
   */
  refresh(pool: Address): Promise<boolean>
  /** As last read; undefined if that is too old or the pool's history is too short. */
  latest(pool: Address): Twap | undefined
}

const KEPT_MS = 3_000
const TIMEOUT_MS = 2_000
const MAX_KEPT = 20_000
const OBSERVE = { abi: v3PoolAbi, functionName: 'observe' } as const
const DATA = encodeFunctionData({ ...OBSERVE, args: [[TOKENS.referenceTwapS, 0]] })

export function createTwaps({
  rpc,
  market,
  profile,
  logger,
  ...deps
}: Pick<TokenDeps, 'rpc' | 'clock' | 'market' | 'profile' | 'logger'>): Twaps {
  // Means age by the chain's clock if that is ahead of ours.
  const clock = { nowMs: () => Math.max(deps.clock.nowMs(), (market.head()?.timestampS ?? 0) * 1_000) }
  const multicall3 = profile.contracts.multicall3 as Address
  const means = createCache<Address, Twap | null>({ max: MAX_KEPT, ttlMs: KEPT_MS, clock })

  async function read(pool: Address): Promise<Twap | null> {
    const readAtS = nowS(clock)
    const query = askMulticall(multicall3, [{ to: pool, data: DATA }])
    const [data] = await readOne(rpc, query, { timeoutMs: TIMEOUT_MS })
    if (!data) return null
    const [cumulatives] = decodeFunctionResult({ ...OBSERVE, data })
    const tick = Math.floor(Number(cumulatives[1]! - cumulatives[0]!) / TOKENS.referenceTwapS)
    const root = Number(sqrtPriceAtTick(tick)) / 2 ** 96
    return { mid: root * root, readAtS }
  }

  return {
    async refresh(pool) {
      if (means.get(pool) !== undefined) return false
      try {
        await means.load(pool, read)
        return true
      } catch (error) {
        logger.warn({ err: error, pool }, 'failed to read a mean price')
        return false
      }
    },
    latest(pool) {
      const cached = means.latest(pool)
      const ageMs = clock.nowMs() - (cached?.atMs ?? 0)
      return cached?.value && ageMs <= TOKENS.referenceMaxAgeS * 1_000 ? cached.value : undefined
    },
  }
}
