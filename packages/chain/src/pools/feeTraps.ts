import { TRADE } from '@pit/protocol'
import { isFeeUnread } from './hooks.ts'
import type { Pool } from './types.ts'

/** Whether a pool's own fee takes most of a trade. A fee that nobody has read is judged by what the chain quotes. */
export function isFeeTrap(pool: Pool): boolean {
  if (pool.version === 'v2' || isFeeUnread(pool)) return false
  return (pool.version === 'v3' ? pool.feePips : pool.lpFeePips) > TRADE.maxPoolFeePips
}
