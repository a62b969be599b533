import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { dayOf } from './rules.ts'

/** The pool's spending today and the number of agents paid for; contains no identities. */
export interface PoolDay {
  usedMicroUsd: bigint
  owners: number
  agents: number
}

export async function readPoolDay(sql: Sql, atS: number): Promise<PoolDay> {
  const [row] = await sql.query<{ used: number; owners: number; agents: number }>(
    'select used_micro_usd as used, owners, agents from ai_pool_days where day_s = $1',
    [dayOf(atS)],
  )
  return { usedMicroUsd: BigInt(row?.used ?? 0), owners: row?.owners ?? 0, agents: row?.agents ?? 0 }
}

const KEEP_MS = 5_000

/** The last reading, for responses that cannot wait; refreshed in the background. Null before the first. */
export function watchPool({ db, clock, logger }: { db: Sql; clock: Clock; logger: Pick<Logger, 'warn'> }) {
  const days = createCache<'today', PoolDay>({ max: 1, ttlMs: KEEP_MS, clock })
  const read = () =>
    readPoolDay(db, nowS(clock)).catch((error: unknown) => {
      logger.warn({ err: error }, 'failed to read the AI pool')
      throw error
    })
  return (): PoolDay | null => {
    Promise.resolve(days.load('today', read)).catch(() => {})
    const last = days.latest('today')
    // Yesterday's reading does not apply today.
    return last && dayOf(Math.floor(last.atMs / 1_000)) === dayOf(nowS(clock)) ? last.value : null
  }
}
