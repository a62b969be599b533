import { createCache } from '@pit/platform/cache'
import { freezePool, thawPool } from './freezePool.ts'
import type { EmptyPool } from './poolBook.ts'
import type { AnyPool } from './poolLogs.ts'

/** The newest pools without liquidity, with their state: most that are ever filled are filled soon. */
export interface EmptyPools {
  keep(pools: readonly EmptyPool[]): void
  /** Copies of those that are cached. */
  load(ids: readonly string[]): AnyPool[]
  /** Call if it is no longer empty, or its state is unknown. */
  forget(id: string): void
  /** Forgets pools that changed after this block; returns their ids. */
  undoTo(number: number): string[]
  clear(): void
}

/** About two megabytes of memory. Of those forgotten, a log has the state read from the chain. */
const MAX_EMPTY = 4_096

export function createEmptyPools(): EmptyPools {
  const states = createCache<string, { block: number; state: string }>({ max: MAX_EMPTY })
  return {
    keep(pools) {
      for (const { pool, block } of pools) states.set(pool.id, { block, state: freezePool(pool) })
    },
    load: (ids) => ids.flatMap((id) => states.get(id)?.state ?? []).map(thawPool),
    forget: (id) => states.delete(id),
    undoTo(number) {
      const undone: string[] = []
      states.deleteWhere(({ block }, id) => block > number && undone.push(id) > 0)
      return undone
    },
    clear: () => states.clear(),
  }
}
