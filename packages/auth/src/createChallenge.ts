import { nowS } from '@pit/platform/clock'
import { type Answer, AUTH, CHAIN_ID, challengeStatement, fail } from '@pit/protocol'
import { admitSignIn } from './admitSignIn.ts'
import { challengeMessage, signInSite } from './challengeMessage.ts'
import { addChallenge } from './challengeStore.ts'
import type { SignInClient } from './client.ts'
import type { AuthDeps } from './deps.ts'
import { originOf } from './origin.ts'
import { PURPOSE_TTL_S, type Purpose, type Wallet } from './rules.ts'

const NEXT: Record<Purpose, string> = {
  'sign-in':
    'Check domain, chain and address, sign message with personal_sign (EIP-191), then POST address, ' +
    'signature and nonce to /api/v1/auth/verify before expires_at.',
  'revoke-all':
    'Sign message with personal_sign (EIP-191), then POST address, signature and nonce to ' +
    '/api/v1/auth/revoke-all before expires_at.',
}

export interface ChallengeRequest {
  address: string
  purpose?: Purpose
}

export async function createChallenge(
  deps: AuthDeps,
  request: ChallengeRequest,
  client: SignInClient,
): Promise<Answer<'auth.challenge'>> {
  const wallet = request.address.toLowerCase() as Wallet
  const origin = originOf(wallet, client)
  await admitSignIn(deps, client, origin)
  const site = signInSite(deps.config)
  const purpose: Purpose = request.purpose === 'revoke-all' ? 'revoke-all' : 'sign-in'
  // A sanctioned wallet is not served, but may still revoke its keys.
  if (purpose === 'sign-in' && deps.isSanctioned(wallet)) fail('SANCTIONED', { field: 'wallet' })
  const issuedAtS = nowS(deps.clock)
  const challenge = {
    wallet,
    purpose,
    nonce: Buffer.from(deps.randomBytes(16)).toString('hex'),
    issuedAtS,
    expiresAtS: issuedAtS + PURPOSE_TTL_S[purpose],
  }
  const { networks } = client
  await addChallenge(deps.db, { ...challenge, network: networks[0].id, site: networks.at(-1)!.id, origin })
  return {
    address: wallet,
    message: challengeMessage(deps.crypto, site, challenge),
    nonce: challenge.nonce,
    domain: site.domain,
    uri: site.uri,
    chain_id: CHAIN_ID,
    version: AUTH.messageVersion,
    statement: challengeStatement(purpose),
    issued_at: issuedAtS,
    expires_at: challenge.expiresAtS,
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is not thenable
    then: NEXT[purpose],
  }
}
