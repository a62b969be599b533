import type { Address, PoolIndex, Route } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'

/** Recent winners of full scans, by pair, and the legs of recently returned splits. */
export interface Winners {
  of(tokenIn: Address, tokenOut: Address): readonly Route[]
  keep(tokenIn: Address, tokenOut: Address, routes: readonly Route[]): void
  /** The legs of the split returned under this id. */
  legsOf(splitId: string): readonly Route[] | undefined
  keepSplit(splitId: string, legs: readonly Route[]): void
}

const MAX_KEPT = 1_000
const ROUTES_OF_PAIR = 4
/** Older winners are ignored: one full scan a minute finds new routes. */
const RECENT_MS = 60_000

export function createWinners({ clock, index }: { clock: Clock; index: PoolIndex }): Winners {
  const pairs = createCache<string, readonly Route[]>({ max: MAX_KEPT, ttlMs: RECENT_MS, clock })
  const splits = createCache<string, readonly Route[]>({ max: MAX_KEPT })
  /** A reorg may have removed or replaced a pool. */
  const stands = ({ hops }: Route) => hops.every(({ pool }) => index.get(pool.id) === pool)
  const bare = ({ id, hops }: Route): Route => ({ id, hops })

  return {
    of: (tokenIn, tokenOut) => pairs.get(`${tokenIn}>${tokenOut}`)?.filter(stands) ?? [],
    keep: (tokenIn, tokenOut, routes) =>
      pairs.set(`${tokenIn}>${tokenOut}`, routes.slice(0, ROUTES_OF_PAIR).map(bare)),
    legsOf(splitId) {
      const legs = splits.get(splitId)
      return legs?.every(stands) ? legs : undefined
    },
    keepSplit: (splitId, legs) => splits.set(splitId, legs.map(bare)),
  }
}
