import type { Address, PoolIndex, Route } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'

/** Routes that won full scans lately, by pair; and what the splits answered lately were made of. */
export interface Winners {
  of(tokenIn: Address, tokenOut: Address): readonly Route[]
  keep(tokenIn: Address, tokenOut: Address, routes: readonly Route[]): void
  /** The legs of a split that was answered under this id. */
  legsOf(splitId: string): readonly Route[] | undefined
  keepSplit(splitId: string, legs: readonly Route[]): void
}

const MAX_KEPT = 1_000
const ROUTES_OF_PAIR = 4
/** Older wins say little about now: one full scan a minute finds what is new. */
const RECENT_MS = 60_000

export function createWinners({ clock, index }: { clock: Clock; index: PoolIndex }): Winners {
  const pairs = new Map<string, { routes: readonly Route[]; atMs: number }>()
  const splits = new Map<string, readonly Route[]>()

  const put = <T>(kept: Map<string, T>, key: string, value: T) => {
    kept.delete(key)
    kept.set(key, value)
    if (kept.size <= MAX_KEPT) return
    const oldest = kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
  }
  /** A reorg may have taken a pool back, or put another one in its place. */
  const stands = ({ hops }: Route) => hops.every(({ pool }) => index.get(pool.id) === pool)
  const bare = ({ id, hops }: Route): Route => ({ id, hops })

  return {
    of(tokenIn, tokenOut) {
      const known = pairs.get(`${tokenIn}>${tokenOut}`)
      const ageMs = known ? clock.nowMs() - known.atMs : Number.POSITIVE_INFINITY
      // A clock that was set back must not keep a win for ever.
      return known && ageMs >= 0 && ageMs < RECENT_MS ? known.routes.filter(stands) : []
    },
    keep(tokenIn, tokenOut, routes) {
      const kept = { routes: routes.slice(0, ROUTES_OF_PAIR).map(bare), atMs: clock.nowMs() }
      put(pairs, `${tokenIn}>${tokenOut}`, kept)
    },
    legsOf(splitId) {
      const legs = splits.get(splitId)
      return legs?.every(stands) ? legs : undefined
    },
    keepSplit: (splitId, legs) => put(splits, splitId, legs.map(bare)),
  }
}
