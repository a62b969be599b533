import type { Purpose } from './rules.ts'

export interface SiweFields {
  domain: string
  /** With its checksum, as EIP-4361 asks. */
  address: string
  statement: string
  uri: string
  version: string
  chainId: number
  nonce: string
  issuedAtS: number
  expiresAtS: number
}

const STATEMENTS: Record<Purpose, string> = {
  'sign-in': 'Sign in to Pit. By signing in you accept the Terms of Use.',
  'revoke-all': 'Revoke all API keys of this wallet on Pit. This does not sign in.',
}
export const challengeStatement = (purpose: Purpose): string => STATEMENTS[purpose]

const isoTime = (atS: number): string => new Date(atS * 1000).toISOString()

/** EIP-4361, byte for byte. */
export function siweMessage(fields: SiweFields): string {
  return `${fields.domain} wants you to sign in with your Ethereum account:
${fields.address}

${fields.statement}

URI: ${fields.uri}
Version: ${fields.version}
Chain ID: ${fields.chainId}
Nonce: ${fields.nonce}
Issued At: ${isoTime(fields.issuedAtS)}
Expiration Time: ${isoTime(fields.expiresAtS)}`
}
