import type { Hop } from '../routes/types.ts'
import type { PlanHop } from './types.ts'

export function planHopOf({ pool, tokenIn, tokenOut }: Hop): PlanHop {
  if (pool.version === 'v2') return { version: 'v2', pool: pool.id, tokenIn, tokenOut }
  if (pool.version === 'v3') return { version: 'v3', pool: pool.id, tokenIn, tokenOut, feePips: pool.feePips }
  return { version: 'v4', pool: pool.id, tokenIn, tokenOut, key: pool.key }
}
