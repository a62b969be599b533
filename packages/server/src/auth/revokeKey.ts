import { nowS } from '@pit/platform/clock'
import type { Answer } from '@pit/protocol'
import type { ApiKey } from '../http/types.ts'
import type { AuthDeps } from './deps.ts'
import { markKeyRevoked } from './store.ts'

/** Ends the calling key, here at once and in other processes as soon as they hear. */
export async function revokeKey(
  { db, clock, keys }: Pick<AuthDeps, 'db' | 'clock' | 'keys'>,
  { keyId, wallet }: ApiKey,
): Promise<Answer<'auth.revoke'>> {
  try {
    await markKeyRevoked(db, keyId, nowS(clock))
  } finally {
    // Also when the commit's outcome is unknown: the store is asked, not the memory of before.
    keys.forget({ keyId })
  }
  return { revoked: true, key_id: keyId, wallet }
}
