import { COUNTRY_CURE, countrySourceOf } from './countrySource.ts'
import { type Examination, fail, ok, warn } from './types.ts'

/** The sanctions list is reported as old past this age. */
export const SANCTIONS_ALARM_S = 48 * 3_600

const UPDATE = 'Run pit-admin sanctions update, daily.'

/** Age of the sanctions list. */
export const examineSanctions: Examination = ({ sanctions, profile, nowMs }) => {
  if (sanctions === null) return []
  const { takenAtS, maxAgeS, addresses } = sanctions
  const check = 'sanctions list'
  if (profile.kind === 'devnet') return [ok(check, `${addresses} addresses, devnet list`)]
  const ageS = Math.floor(nowMs() / 1000) - takenAtS
  const summary = `${addresses} addresses, downloaded ${Math.floor(ageS / 3_600)} hours ago`
  if (ageS > maxAgeS) return [fail(check, summary, UPDATE)]
  return ageS > SANCTIONS_ALARM_S ? [warn(check, summary, UPDATE)] : [ok(check, summary)]
}

/** Whether requests from blocked countries can be recognised. */
export const examineCountry: Examination = ({ country, profile }) => {
  if (country === null) return []
  const check = 'country source'
  if (profile.kind === 'devnet') return [ok(check, 'not needed on a devnet')]
  const source = countrySourceOf(country)
  if (source !== null) return [ok(check, source)]
  return country.isWaived
    ? [warn(check, 'none (GEO=none): blocked countries are served', COUNTRY_CURE)]
    : [warn(check, 'none: the server will not start with these settings', COUNTRY_CURE)]
}
