import { hookEffectOf } from '@pit/chain'
import { NATIVE_TOKEN } from '@pit/protocol'
import { lower, type RelayDeps } from '../deps.ts'
import type { Place } from './amounts.ts'

/** Whose logs count: the profile's contracts, and the pools and curves the market knows. */
export function placeOf({ profile, market }: Pick<RelayDeps, 'profile' | 'market'>): Place {
  const { universal_router, weth, v4_pool_manager } = profile.contracts
  const orNull = (address: string | null) => (address === null ? null : lower(address))
  return {
    router: orNull(universal_router),
    weth: orNull(weth),
    poolManager: orNull(v4_pool_manager),
    isEtherPool(id) {
      const pool = market.pool?.(id)
      if (pool?.version !== 'v4') return undefined
      if (pool.token0 !== NATIVE_TOKEN) return false
      return hookEffectOf(pool.key) === 'amounts' ? undefined : true
    },
    curveOf: (token) => market.curveOf?.(token)?.id as ReturnType<Place['curveOf']>,
  }
}
