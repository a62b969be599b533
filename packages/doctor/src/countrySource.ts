/** Operator's settings for detecting callers' countries. */
export interface CountrySettings {
  geoDb: string | null
  /** Null unless the operator set it: only the operator knows which header the proxy sets. */
  geoHeader: string | null
  hasTrustedProxy: boolean
  /** GEO=none: the operator chose to run without a country source. */
  isWaived: boolean
}

/** Source of callers' countries; null if there is none. */
export function countrySourceOf({ geoDb, geoHeader, hasTrustedProxy }: CountrySettings): string | null {
  if (geoDb !== null) return `GEO_DB ${geoDb}`
  return geoHeader !== null && hasTrustedProxy ? `GEO_HEADER ${geoHeader} of a trusted proxy` : null
}

export const COUNTRY_CURE =
  'Set GEO_DB to a MaxMind database, or GEO_HEADER and TRUSTED_PROXIES for a proxy that sets the country, ' +
  'or GEO=none to serve every country on purpose.'
