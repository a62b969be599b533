import { encodeAbiParameters, keccak256 } from 'viem'
import type { Chain, Hex } from '../engine/types.ts'
import { call, type ReadCall, readMany, word } from './multicall.ts'
import type { MarketWorld, Pool } from './types.ts'

const Q96 = 1n << 96n

/** State of a pool: its price and, at that price, how much of each side a constant product would hold. */
export interface PoolState {
  sqrtX96: bigint
  depth0: bigint
  depth1: bigint
}

const KEY = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint24' },
  { type: 'int24' },
  { type: 'address' },
]

const idsOfPools = new WeakMap<Pool, Hex>()

function poolId(pool: Pool): Hex {
  let id = idsOfPools.get(pool)
  if (!id) {
    const { currency0, currency1, fee, tickSpacing, hooks } = pool
    id = keccak256(encodeAbiParameters(KEY, [currency0, currency1, fee, tickSpacing, hooks] as never))
    idsOfPools.set(pool, id)
  }
  return id
}

export function poolReads(pool: Pool, stateView: Hex): [ReadCall, ReadCall] {
  if (pool.version === 4) {
    const id = poolId(pool)
    return [call(stateView, 'getSlot0', id), call(stateView, 'getLiquidity', id)]
  }
  if (pool.version === 3) return [call(pool.address, 'slot0'), call(pool.address, 'liquidity')]
  return [call(pool.address, 'getReserves'), call(pool.address, 'getReserves')]
}

export function stateOfPool(
  pool: Pool,
  first: Hex | undefined,
  second: Hex | undefined,
): PoolState | undefined {
  if (pool.version === 2) {
    const [depth0, depth1] = [word(first, 0), word(first, 1)]
    if (depth0 === 0n || depth1 === 0n) return undefined
    return { depth0, depth1, sqrtX96: sqrt((depth1 << 192n) / depth0) }
  }
  const [sqrtX96, liquidity] = [word(first), word(second)]
  if (sqrtX96 === 0n || liquidity === 0n) return undefined
  return { sqrtX96, depth0: (liquidity * Q96) / sqrtX96, depth1: (liquidity * sqrtX96) / Q96 }
}

/** Reads only the prices, with half the calls of `readPools`. Undefined for a pool without a price. */
export async function readPoolPrices(
  chain: Chain,
  { multicall3, v4StateView }: MarketWorld['contracts'],
  pools: Pool[],
): Promise<(bigint | undefined)[]> {
  const answers = await readMany(
    chain,
    multicall3,
    pools.map((pool) => poolReads(pool, v4StateView)[0]),
  )
  return pools.map((pool, i) =>
    pool.version === 2 ? stateOfPool(pool, answers[i], answers[i])?.sqrtX96 : word(answers[i]) || undefined,
  )
}

/** Reads all given pools in one call. */
export async function readPools(
  chain: Chain,
  { multicall3, v4StateView }: MarketWorld['contracts'],
  pools: Pool[],
): Promise<(PoolState | undefined)[]> {
  const answers = await readMany(
    chain,
    multicall3,
    pools.flatMap((pool) => poolReads(pool, v4StateView)),
  )
  return pools.map((pool, i) => stateOfPool(pool, answers[2 * i], answers[2 * i + 1]))
}

function sqrt(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2))
  for (let next = (root + n / root) >> 1n; next < root; next = (root + n / root) >> 1n) root = next
  return root
}
