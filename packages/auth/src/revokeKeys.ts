import { nowS } from '@pit/platform/clock'
import { type Answer, fail } from '@pit/protocol'
import { admitSignIn } from './admitSignIn.ts'
import { useChallenge } from './challengeStore.ts'
import type { SignInClient } from './client.ts'
import type { AuthDeps } from './deps.ts'
import { findSignedChallenge, type SignedRequest } from './findSignedChallenge.ts'
import type { ApiKey } from './keys.ts'
import { originOf, rememberOrigin } from './origin.ts'
import type { Wallet } from './rules.ts'
import { markKeyRevoked, markWalletRevoked } from './store.ts'

const NOTE =
  'All keys of this wallet are revoked. Sessions are separate: revoke each with live/session/revoke and ' +
  'its on-chain steps.'

/** Revokes the calling key, here at once and in other processes on notification. */
export async function revokeKey(
  { db, clock, keys }: Pick<AuthDeps, 'db' | 'clock' | 'keys'>,
  { keyId, wallet }: ApiKey,
): Promise<Answer<'auth.revoke'>> {
  try {
    await markKeyRevoked(db, keyId, nowS(clock))
  } finally {
    // Also if the commit's outcome is unknown: then the store decides, not the cache.
    keys.forget({ keyId })
  }
  return { revoked: true, key_id: keyId, wallet }
}

/** Revokes every key of the signing wallet; a sanctioned wallet may do this too. */
export async function revokeAllKeys(
  deps: AuthDeps,
  request: SignedRequest,
  client: SignInClient,
): Promise<Answer<'auth.revoke_all'>> {
  const wallet = request.address.toLowerCase() as Wallet
  const origin = originOf(wallet, client)
  await admitSignIn(deps, client, origin)
  const { id } = await findSignedChallenge(deps, 'revoke-all', request, client)
  const atS = nowS(deps.clock)
  try {
    const revoked = await deps.db.transaction(async (sql) => {
      if (!(await useChallenge(sql, id, atS))) fail('CHALLENGE_EXPIRED')
      const ended = await markWalletRevoked(sql, wallet, atS)
      await rememberOrigin(sql, origin)
      return ended
    })
    return { wallet, revoked, note: NOTE }
  } finally {
    // As above.
    deps.keys.forget({ wallet })
  }
}
