import type { Pool } from './types.ts'

/**
 * Token1 atoms per token0 atom without fee or impact, as a float: to rank and to show, never to decide an
 * amount.
 */
export function midPrice(pool: Pool): number {
  if (pool.version === 'v2') return pool.reserve0 === 0n ? 0 : Number(pool.reserve1) / Number(pool.reserve0)
  const root = Number(pool.sqrtPriceX96) / 2 ** 96
  return root * root
}
