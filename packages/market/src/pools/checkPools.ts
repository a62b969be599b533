import type { Logger } from '@pit/platform/monitoring'
import { askHeader, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { AnyPool } from './poolLogs.ts'
import type { PoolMemory } from './poolMemory.ts'

/** Pools checked per request: twenty thousand pools take about eight minutes, few at least a minute. */
const CHECKED_AT_ONCE = 200
const MIN_ROUNDS = 12

interface CheckDeps {
  rpc: Rpc
  logger: Logger
  memory: PoolMemory
}

/** Returns a function that compares the next pools with the chain: a missed swap shows in no later log. */
export function createPoolCheck({ rpc, logger, memory }: CheckDeps): () => Promise<void> {
  const { book, states, wakingPools } = memory
  let unchecked: AnyPool[] = []
  let atOnce = CHECKED_AT_ONCE
  return async () => {
    const at = memory.head()
    if (at === null || !wakingPools.isEmpty()) return
    if (unchecked.length === 0) {
      unchecked = [...book.all()]
      atOnce = Math.min(CHECKED_AT_ONCE, Math.ceil(unchecked.length / MIN_ROUNDS))
    }
    const some = unchecked.splice(-atOnce).filter((pool) => book.get(pool.id) === pool)
    const differing = await states.findDiffering(some, at.number)
    if (differing.length === 0 || (await readOne(rpc, askHeader(at.number)))?.hash !== at.hash) return
    const ids = differing.filter((pool) => book.get(pool.id) === pool).map(({ id }) => id)
    logger.error({ block: at.number, pools: ids }, 'pool states differ from the chain; reading them again')
    for (const id of ids) book.drop(id)
    wakingPools.want(ids)
  }
}
