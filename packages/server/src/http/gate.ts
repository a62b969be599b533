import type { ApiKey } from '@pit/auth'
import type { Authenticate, Gate } from '@pit/http'
import { isStoreUnavailable } from '@pit/platform/db'
import { fail, refusal } from '@pit/protocol'
import { type Geo, type PlaceRules, placesFromHeaders } from '../compliance/geo.ts'
import type { Config } from '../config.ts'
import type { Place } from './types.ts'

export interface GateDeps {
  config: Pick<Config, 'geoHeader' | 'geoRegionHeader'>
  authenticate: Authenticate<ApiKey>
  sanctions: { isSanctioned(address: string): boolean }
  geo: Geo
  places: PlaceRules
}

/** Pit's rules at the edge: countries, keys, sanctions, and how an outage of the store is reported. */
export const createGate = ({
  config,
  authenticate,
  sanctions,
  geo,
  places,
}: GateDeps): Gate<ApiKey, Place> => ({
  /** Either source blocks, so that a forged header cannot overrule the database. */
  admitClient({ address, isProxied, headers }) {
    const claimed = isProxied ? placesFromHeaders(headers, config) : []
    const located = geo.locate(address)
    const all = located === null ? claimed : [...claimed, located]
    if (all.some(places.isBlocked)) fail('COUNTRY_BLOCKED')
    return { stocksBarred: all.some(places.barsStocks) }
  },
  authenticate,
  admitKey({ wallet }, { sanctionedKeyAllowed }) {
    if (wallet === null || sanctionedKeyAllowed || !sanctions.isSanctioned(wallet)) return
    fail('SANCTIONED', { field: 'wallet', message: 'The key’s wallet is on a sanctions list.' })
  },
  outageOf(error, route) {
    if (!isStoreUnavailable(error)) return null
    // The token registry is in the store.
    return refusal(route?.area === 'tokens' ? 'REGISTRY_UNAVAILABLE' : 'ENGINE_UNAVAILABLE', {
      message: 'The store is unavailable. Retry shortly.',
    })
  },
})
