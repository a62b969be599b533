import type { IncomingHttpHeaders } from 'node:http'
import { StartRefused } from '@pit/platform/settings'
import { type ChainProfile, fail } from '@pit/protocol'
import { type CityResponse, open } from 'maxmind'

export interface Place {
  /** ISO 3166-1, upper-case. */
  country: string
  /** ISO 3166-2 with its country, when known. */
  region: string | null
}

export interface Geo {
  /** Location of an address; null if unknown, which is served. */
  locate(address: string): Place | null
}

export const unknownGeo: Geo = { locate: () => null }

export interface PlaceRules {
  /** Not served at all. */
  isBlocked(place: Place): boolean
  /** Stock tokens are not available there. */
  barsStocks(place: Place): boolean
}

export function placeRules({
  blocked,
  blocked_regions,
  stock_blocked,
}: ChainProfile['countries']): PlaceRules {
  const [countries, regions, stocks] = [blocked, blocked_regions, stock_blocked].map((list) => new Set(list))
  return {
    isBlocked: ({ country, region }) => countries!.has(country) || (region !== null && regions!.has(region)),
    barsStocks: ({ country }) => stocks!.has(country),
  }
}

/** Looks addresses up in a MaxMind database, reloaded when the file changes. */
export async function openGeo(file: string | null): Promise<Geo> {
  if (file === null) return unknownGeo
  const reader = await open<CityResponse>(file, {
    watchForUpdates: true,
    watchForUpdatesNonPersistent: true,
  }).catch((error: Error) => {
    throw new StartRefused(`GEO_DB ${file}: ${error.message}`)
  })
  return {
    locate(address) {
      const record = reader.get(address)
      const country = record?.country?.iso_code ?? record?.registered_country?.iso_code
      return country === undefined ? null : placeOf(country, record?.subdivisions?.[0]?.iso_code)
    },
  }
}

/**
 * Every place in a proxy's headers; `XX` and `T1` (unknown, Tor) are none. There are several if a proxy
 * appends to a client's header instead of replacing it.
 */
export function placesFromHeaders(
  headers: IncomingHttpHeaders,
  names: { geoHeader: string; geoRegionHeader: string },
): Place[] {
  if (headers[names.geoHeader] === undefined) return []
  const regions = valuesOf(headers, names.geoRegionHeader)
  return valuesOf(headers, names.geoHeader).flatMap((country) =>
    regions.flatMap((region) => placeOf(country, region) ?? []),
  )
}

/** A few proxies may each add a value. More come from a client, and every country is read with every region. */
const MAX_VALUES = 16

function valuesOf(headers: IncomingHttpHeaders, name: string): string[] {
  const values = String(headers[name] ?? '').split(',', MAX_VALUES + 1)
  if (values.length > MAX_VALUES)
    fail('BAD_REQUEST', { field: name, message: 'The header has too many values.' })
  return values
}

function placeOf(country: string, region: string | undefined): Place | null {
  const code = country.trim().toUpperCase()
  if (!/^[A-Z]{2}$/.test(code) || code === 'XX') return null
  const part = region?.trim().toUpperCase().replace(`${code}-`, '')
  return { country: code, region: part ? `${code}-${part.padStart(2, '0')}` : null }
}
