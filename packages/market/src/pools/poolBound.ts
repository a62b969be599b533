import { type Address, markSourcesOf } from '@pit/chain'
import type { Mark } from '@pit/platform/reads'
import type { ChainProfile } from '@pit/protocol'
import { pairAtomsIn } from '../tokens/depth.ts'
import type { AnyPool } from './poolLogs.ts'

/** Bounds the pools in memory: the thinnest leave, and return with the log that adds liquidity. */
export interface PoolBound {
  /** Whether a pool may enter: after an eviction, only with more money than the evicted ones had. */
  admits(pool: AnyPool): boolean
  /** The pools over the bound: the thinnest first, among equals the last to enter. */
  excess(pools: Iterable<AnyPool>, count: number): AnyPool[]
}

const MAX_POOLS = 50_000
/** Evicting a tenth at once keeps the ranking of all pools rare. */
const KEPT_SHARE = 0.9
/** Below this share of the bound dust may enter again. */
const ROOM_SHARE = 0.8
/** All dust ranks equally, so that a cheap flood does not outrank older pools without a marked token. */
const DUST_USD = 1

export interface PoolValue {
  /** Value of the marked tokens in a pool, which cannot be faked. Null before ETH and USDG have a price. */
  usdOf(pool: AnyPool): number | null
}

export function createPoolBound({
  isPinned,
  value,
  max = MAX_POOLS,
}: {
  isPinned(id: string): boolean
  value: PoolValue
  max?: number
}): PoolBound {
  const target = Math.floor(max * KEPT_SHARE)
  const room = Math.floor(max * ROOM_SHARE)
  /** Null while there is room. */
  let evictedUsd: number | null = null
  const rankOf = (pool: AnyPool): number | null => {
    const usd = value.usdOf(pool)
    return usd !== null && usd < DUST_USD ? 0 : usd
  }
  return {
    admits(pool) {
      if (evictedUsd === null || isPinned(pool.id)) return true
      return (rankOf(pool) ?? Number.POSITIVE_INFINITY) > evictedUsd
    },
    excess(pools, count) {
      if (count < room) evictedUsd = null
      if (count <= max) return []
      const ranked: { pool: AnyPool; usd: number; entered: number }[] = []
      for (const pool of pools) {
        if (isPinned(pool.id)) continue
        const usd = rankOf(pool)
        if (usd === null) return []
        ranked.push({ pool, usd, entered: ranked.length })
      }
      ranked.sort((a, b) => a.usd - b.usd || b.entered - a.entered)
      const evicted = ranked.slice(0, count - target)
      evictedUsd = evicted.at(-1)?.usd ?? null
      return evicted.map(({ pool }) => pool)
    },
  }
}

/** Last prices are kept: a silent feed must not make its pools worthless. */
export function createPoolValue(
  profile: ChainProfile,
  markOf: (token: Address) => Pick<Mark, 'priceE18'> | undefined,
): PoolValue {
  const tokens = [...profile.core_tokens, ...profile.listed_stocks]
  const decimals = new Map(tokens.map((token) => [token.address.toLowerCase() as Address, token.decimals]))
  const marked = new Set(markSourcesOf(profile).map(({ token }) => token))
  const prices = new Map<Address, number>()
  const priceOf = (token: Address): number => {
    const mark = markOf(token)
    if (mark) prices.set(token, Number(mark.priceE18) / 1e18 / 10 ** decimals.get(token)!)
    return prices.get(token) ?? 0
  }
  const money = profile.core_tokens.flatMap(({ symbol, address }) =>
    ['ETH', 'WETH', 'USDG'].includes(symbol) ? [address.toLowerCase() as Address] : [],
  )
  let isReady = false
  /** The money on the other side of `token`. */
  const usdBeside = (pool: AnyPool, token: Address, pair: Address): number =>
    marked.has(pair) ? pairAtomsIn(pool, token) * priceOf(pair) : 0
  return {
    usdOf(pool) {
      isReady ||= money.every((token) => priceOf(token) > 0)
      if (!isReady) return null
      if (pool.version === 'curve') return usdBeside(pool, pool.token, pool.pair)
      return usdBeside(pool, pool.token0, pool.token1) + usdBeside(pool, pool.token1, pool.token0)
    },
  }
}
