import { type Examination, fail, ok, warn } from './types.ts'

/** Past this the list is told of. */
export const SANCTIONS_ALARM_S = 48 * 3_600

const UPDATE = 'Run pit-admin sanctions update, daily.'

/** How long ago the sanctions list was taken. */
export const examineSanctions: Examination = ({ sanctions, profile, nowMs }) => {
  if (sanctions === null) return []
  const { takenAtS, maxAgeS, addresses } = sanctions
  const check = 'sanctions list'
  if (profile.kind === 'devnet') return [ok(check, `${addresses} addresses, a devnet’s own`)]
  const ageS = Math.floor(nowMs() / 1000) - takenAtS
  const found = `${addresses} addresses, taken ${Math.floor(ageS / 3_600)} hours ago`
  if (ageS > maxAgeS) return [fail(check, found, UPDATE)]
  return ageS > SANCTIONS_ALARM_S ? [warn(check, found, UPDATE)] : [ok(check, found)]
}
