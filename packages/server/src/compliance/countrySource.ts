import { COUNTRY_CURE, type CountrySettings, countrySourceOf } from '@pit/doctor'
import { StartRefused } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'
import type { Config } from '../config.ts'

type CountryConfig = Pick<Config, 'geo' | 'geoDb' | 'geoHeader' | 'trustedProxies' | 'chosen'>

export const countrySettings = (config: CountryConfig): CountrySettings => ({
  geoDb: config.geoDb,
  geoHeader: (config.chosen.GEO_HEADER && config.geoHeader) || null,
  hasTrustedProxy: config.trustedProxies.length > 0,
  isWaived: config.geo === 'none',
})

/** Without a source every country is unknown, and unknown places are served. */
export function refuseWithoutCountry(
  { kind, name }: Pick<ChainProfile, 'kind' | 'name'>,
  config: CountryConfig,
) {
  const settings = countrySettings(config)
  if (kind === 'devnet' || settings.isWaived || countrySourceOf(settings) !== null) return
  throw new StartRefused(
    `no country source on ${name}, so blocked countries would be served. ${COUNTRY_CURE}`,
  )
}
