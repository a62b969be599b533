import type { Address, Hex } from '../bytes/hex.ts'
import type { PoolKey } from '../router/types.ts'
import { DYNAMIC_FEE } from './hooks.ts'
import type { Concentrated, V2Pool, V3Pool, V4Pool } from './types.ts'

/** Pools as they are right after their creation; logs do the rest. */

const UNISWAP_V2_FEE_BPS = 30

export function newV2Pool(pool: { id: Address; token0: Address; token1: Address; feeBps?: number }): V2Pool {
  return { version: 'v2', feeBps: UNISWAP_V2_FEE_BPS, ...pool, reserve0: 0n, reserve1: 0n }
}

export function newV3Pool(pool: {
  id: Address
  token0: Address
  token1: Address
  feePips: number
  tickSpacing: number
}): V3Pool {
  return { version: 'v3', ...pool, ...empty(pool.tickSpacing) }
}

export function newV4Pool(id: Hex, key: PoolKey): V4Pool {
  // A dynamic fee starts at zero until its hook sets it.
  const lpFeePips = key.fee === DYNAMIC_FEE ? 0 : key.fee
  const state = { ...empty(key.tickSpacing), lpFeePips, protocolFee: 0 }
  return { version: 'v4', id, token0: key.currency0, token1: key.currency1, key, ...state }
}

function empty(tickSpacing: number): Concentrated {
  return { sqrtPriceX96: 0n, tick: 0, liquidity: 0n, tickSpacing, ticks: new Map(), bitmap: new Map() }
}
