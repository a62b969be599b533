import { CHAIN_ID, DAY_S } from './numbers.ts'
import type { ChallengePurpose } from './values.ts'

/** The statement of each kind of challenge; they differ, so a signature of one is invalid for the other. */
const STATEMENTS: { readonly [Purpose in ChallengePurpose]: string } = {
  'sign-in': 'Sign in to Pit. Signing in accepts the Terms of Use.',
  'revoke-all': 'This revokes all keys of this wallet at Pit. It does not sign in.',
}
export const challengeStatement = (purpose: ChallengePurpose): string => STATEMENTS[purpose]

/** The inverse of `challengeStatement`; null for a statement of another service. */
export const challengePurposeOf = (statement: string): ChallengePurpose | null =>
  (Object.keys(STATEMENTS) as ChallengePurpose[]).find((purpose) => STATEMENTS[purpose] === statement) ?? null

export type SiweFields = {
  /** The host users know, a port included when it has one. */
  domain: string
  /** EIP-55 checksummed, as EIP-4361 asks; the caller has the hash function. */
  address: string
  statement: string
  uri: string
  version: '1'
  chainId: typeof CHAIN_ID
  nonce: string
  issuedAtS: number
  expiresAtS: number
}

/** The EIP-4361 text, byte for byte. Times have whole seconds and end in Z. */
export function siweMessage(fields: SiweFields): string {
  return [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${toRfc3339(fields.issuedAtS)}`,
    `Expiration Time: ${toRfc3339(fields.expiresAtS)}`,
  ].join('\n')
}

const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
/** Cached date of the last formatted day, because formatting it is the expensive part. */
let cachedDay = { day: 0, date: '1970-01-01' }

function toRfc3339(atS: number): string {
  const day = Math.floor(atS / DAY_S)
  if (day !== cachedDay.day)
    cachedDay = { day, date: new Date(day * DAY_S * 1000).toISOString().slice(0, 10) }
  const s = atS - day * DAY_S
  const [hours, minutes] = [Math.floor(s / 3600), Math.floor((s % 3600) / 60)]
  return `${cachedDay.date}T${two(hours)}:${two(minutes)}:${two(s % 60)}Z`
}

const TIME = '(\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z)'
const MESSAGE = new RegExp(
  [
    '^([^\\s/?#]+) wants you to sign in with your Ethereum account:',
    '(0x[0-9a-fA-F]{40})',
    '',
    '([\\x20-\\x7e]+)',
    '',
    'URI: (\\S+)',
    'Version: 1',
    `Chain ID: ${CHAIN_ID}`,
    'Nonce: ([A-Za-z0-9]{8,})',
    `Issued At: ${TIME}`,
    `Expiration Time: ${TIME}$`,
  ].join('\n'),
)

/** The parts of a message, or null for any text that `siweMessage` would not have written. */
export function parseSiwe(message: string): SiweFields | null {
  const [, domain, address, statement, uri, nonce, issued, expires] = MESSAGE.exec(message) ?? []
  if (!domain || !address || !statement || !uri || !nonce || !issued || !expires) return null
  const issuedAtMs = Date.parse(issued)
  const expiresAtMs = Date.parse(expires)
  if (Number.isNaN(issuedAtMs) || Number.isNaN(expiresAtMs)) return null
  const fields: SiweFields = {
    domain,
    address,
    statement,
    uri,
    version: '1',
    chainId: CHAIN_ID,
    nonce,
    issuedAtS: issuedAtMs / 1000,
    expiresAtS: expiresAtMs / 1000,
  }
  // Date.parse forgives some impossible dates; a rebuild that differs is another text.
  return siweMessage(fields) === message ? fields : null
}

/** Why a client should not sign this sign-in message; null if it is the requested one. */
export function refuseSiwe(
  message: unknown,
  expected: {
    domain: string
    address: string
    purpose: ChallengePurpose
    nonce: unknown
    nowS: number
    maxAgeS: number
  },
): string | null {
  const fields = typeof message === 'string' ? parseSiwe(message) : null
  if (fields === null) return 'is not a sign-in message of this service'
  if (fields.domain !== expected.domain) return 'names another domain'
  if (!isOriginOf(fields.uri, expected.domain)) return 'names a URI outside its domain'
  if (fields.nonce !== expected.nonce) return 'has another nonce than the challenge'
  if (fields.address.toLowerCase() !== expected.address.toLowerCase()) return 'names another address'
  if (fields.statement !== challengeStatement(expected.purpose)) return 'states another purpose'
  if (fields.expiresAtS <= expected.nowS) return 'has expired'
  if (fields.expiresAtS > expected.nowS + expected.maxAgeS) return 'expires too late'
  return null
}

/** An http or https origin on the domain. The domain's own port binds; without one any port does. */
export function isOriginOf(uri: string, domain: string): boolean {
  if (!URL.canParse(uri) || !URL.canParse(`https://${domain}`)) return false
  const [{ protocol, hostname, port, origin }, expected] = [new URL(uri), new URL(`https://${domain}`)]
  if (protocol !== 'https:' && protocol !== 'http:') return false
  const isOrigin = uri === origin || uri === `${origin}/`
  return isOrigin && hostname === expected.hostname && (expected.port === '' || port === expected.port)
}
