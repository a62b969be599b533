import { hash, timingSafeEqual } from 'node:crypto'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { ApiKey } from '../http/types.ts'
import type { KeyCache } from './keyCache.ts'
import { looksLikeKey } from './rules.ts'
import { findKey } from './store.ts'

export interface AuthenticateDeps {
  db: Db
  clock: Clock
  keys: KeyCache
}

/** The key a bearer token stands for; null when it is unknown, expired or revoked. */
export function authenticateKey({ db, clock, keys }: AuthenticateDeps) {
  async function find(sha256: Buffer): Promise<ApiKey | null> {
    const row = await findKey(db, sha256)
    if (!row || !timingSafeEqual(row.key_sha256, sha256)) return null
    return { keyId: row.id, accountId: row.account_id, wallet: row.wallet, expiresAtS: row.expires_at_s }
  }

  return async (bearer: string, which: 'known' | 'any' = 'any'): Promise<ApiKey | null> => {
    if (!looksLikeKey(bearer)) return null
    // Looked up by its hash: what a look-up's time may tell is about the hash, which no one can steer.
    const sha256Hex = hash('sha256', bearer, 'hex')
    if (which === 'known' && !keys.has(sha256Hex)) return null
    const found = keys.read(sha256Hex, () => find(Buffer.from(sha256Hex, 'hex')))
    const key = found instanceof Promise ? await found : found
    return key !== null && key.expiresAtS > nowS(clock) ? key : null
  }
}
