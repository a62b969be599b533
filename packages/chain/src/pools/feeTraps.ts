import { isFeeUnread } from './hooks.ts'
import type { Pool } from './types.ts'

/** More than any honest pool's fee: what keeps more of a trade lives off those who do not look. */
export const MAX_FAIR_FEE_PIPS = 100_000

/** Whether a pool's own fee takes most of a trade. A fee that nobody has read is judged by what the chain quotes. */
export function isFeeTrap(pool: Pool): boolean {
  if (pool.version === 'v2' || isFeeUnread(pool)) return false
  return (pool.version === 'v3' ? pool.feePips : pool.lpFeePips) > MAX_FAIR_FEE_PIPS
}
