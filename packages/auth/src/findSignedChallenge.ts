import { nowS } from '@pit/platform/clock'
import { fail, refusal } from '@pit/protocol'
import { isSignedBy, signInSite } from './challengeMessage.ts'
import { openChallenges } from './challengeStore.ts'
import type { SignInClient } from './client.ts'
import type { AuthDeps } from './deps.ts'
import type { Purpose, Wallet } from './rules.ts'

export interface SignedRequest {
  address: string
  signature: string
  nonce?: string | undefined
}

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const HEX = /^0x([0-9a-fA-F]{2})+$/
const CONTRACT_WALLETS =
  'Contract wallets (EIP-1271, ERC-6492) cannot sign in here: use a wallet with a private key.'

/**
 * The open challenge of this purpose that the wallet signed: the one with the nonce, or the newest that
 * matches.
 */
export async function findSignedChallenge(
  deps: AuthDeps,
  purpose: Purpose,
  { address, signature, nonce }: SignedRequest,
  { networks }: Pick<SignInClient, 'networks'>,
): Promise<{ id: number; wallet: Wallet }> {
  const site = signInSite(deps.config)
  const wallet = address.toLowerCase() as Wallet
  if (!SIGNATURE.test(signature)) refuseShape(signature)
  const network = networks[0].id
  const open = await openChallenges(deps.db, { wallet, purpose, nonce, network, nowS: nowS(deps.clock) })
  if (open.length === 0) fail('CHALLENGE_EXPIRED')
  const signed = open.find(({ nonce: own, issued_at_s: issuedAtS, expires_at_s: expiresAtS }) => {
    const challenge = { wallet, purpose, nonce: own, issuedAtS, expiresAtS }
    return isSignedBy(deps.crypto, site, challenge, signature as Wallet)
  })
  if (!signed)
    throw refusal('BAD_SIGNATURE', {
      message: `The signature does not recover to the wallet. ${CONTRACT_WALLETS}`,
    })
  return { id: signed.id, wallet }
}

/** Contract wallets send hex of other lengths; anything else is not a signature. */
function refuseShape(signature: string): never {
  if (HEX.test(signature)) {
    throw refusal('BAD_SIGNATURE', { message: `The signature is not 65 bytes long. ${CONTRACT_WALLETS}` })
  }
  throw refusal('BAD_REQUEST', { field: 'signature', message: 'The signature must be 0x and hex digits.' })
}
