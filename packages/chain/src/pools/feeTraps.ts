import { TRADE } from '@pit/protocol'
import { isFeeUnread } from './hooks.ts'
import type { Pool } from './types.ts'

/** Whether a pool's own fee takes most of a trade. An unread fee is judged by the chain's quote instead. */
export function isFeeTrap(pool: Pool): boolean {
  if (pool.version === 'v2' || isFeeUnread(pool)) return false
  return (pool.version === 'v3' ? pool.feePips : pool.lpFeePips) > TRADE.maxPoolFeePips
}
