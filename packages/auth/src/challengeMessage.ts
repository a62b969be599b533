import type { Crypto } from '@pit/chain'
import { AUTH, CHAIN_ID, challengeStatement, refusal, siweMessage } from '@pit/protocol'
import type { AuthDeps } from './deps.ts'
import type { Purpose, Wallet } from './rules.ts'

/** The server's domain, from its settings, never from a request's Host. */
export interface SignInSite {
  domain: string
  uri: string
}

/** Sign-in is off until an operator has set the domain. */
export function signInSite({ authDomain, publicUrl }: AuthDeps['config']): SignInSite {
  if (authDomain === null) throw refusal('AUTH_DOMAIN_UNSET')
  return { domain: authDomain, uri: publicUrl }
}

export interface ChallengeFacts {
  wallet: Wallet
  purpose: Purpose
  nonce: string
  issuedAtS: number
  expiresAtS: number
}

/**
 * The text a wallet signs. Rebuilt from stored facts when the signature arrives, so it is not stored itself.
 */
export function challengeMessage(crypto: Crypto, site: SignInSite, challenge: ChallengeFacts): string {
  return siweMessage({
    domain: site.domain,
    address: crypto.toChecksum(challenge.wallet),
    statement: challengeStatement(challenge.purpose),
    uri: site.uri,
    version: AUTH.messageVersion,
    chainId: CHAIN_ID,
    nonce: challenge.nonce,
    issuedAtS: challenge.issuedAtS,
    expiresAtS: challenge.expiresAtS,
  })
}

/** Whether the wallet signed exactly this challenge on this server. */
export function isSignedBy(
  crypto: Crypto,
  site: SignInSite,
  challenge: ChallengeFacts,
  signature: Wallet,
): boolean {
  const message = challengeMessage(crypto, site, challenge)
  return crypto.recoverMessage(message, signature) === challenge.wallet
}
