import { hash, timingSafeEqual } from 'node:crypto'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { looksLikeKey, type Wallet } from './rules.ts'
import { findKey, REVOKED_CHANNEL, type Revoked } from './store.ts'

/** A valid API key. */
export interface ApiKey {
  keyId: number
  accountId: number
  /** Lower case, or null for a key without a wallet. */
  wallet: Wallet | null
  expiresAtS: number
}

export interface Keys {
  /**
   * The key of a bearer token; null if unknown, expired or revoked. `known`: only keys this process has seen
   * valid before, without a query to the store.
   */
  authenticate(bearer: string, which?: 'known' | 'any'): Promise<ApiKey | null>
  /** Takes effect at once, for look-ups in progress too. */
  forget(revoked: Revoked): void
  close(): Promise<void>
}

const MAX_KEYS = 20_000
/**
 * Other processes' revocations arrive as notifications, within milliseconds; this bounds the delay if one is
 * lost without the connection noticing. The embedded store has one process, so keys are not checked again.
 */
const ASK_AGAIN_AFTER_MS: Record<Db['engine'], number> = { pglite: Number.POSITIVE_INFINITY, postgres: 1_000 }

/** Live keys: cached while the store confirms them and revocation messages arrive. */
export async function openKeys({ db, clock }: { db: Db; clock: Clock }): Promise<Keys> {
  const askAgainAfterMs = ASK_AGAIN_AFTER_MS[db.engine]
  let isListening = true
  /** By the hex of their hash. */
  const live = createCache<string, ApiKey | null>({
    max: MAX_KEYS,
    clock,
    ttlMs: (key) => (key === null || !isListening ? 0 : askAgainAfterMs),
  })

  const forget = (revoked: Revoked): void =>
    live.deleteWhere((key) =>
      'keyId' in revoked ? key?.keyId === revoked.keyId : key?.wallet === revoked.wallet,
    )

  // The embedded store may stop and reopen with a revocation that sent no notification.
  const stopListening = await db.listen(REVOKED_CHANNEL, {
    received: (payload) => forget(JSON.parse(payload) as Revoked),
    lost() {
      isListening = false
      live.clear()
    },
    back() {
      live.clear()
      isListening = true
    },
  })

  async function find(sha256Hex: string): Promise<ApiKey | null> {
    const sha256 = Buffer.from(sha256Hex, 'hex')
    const row = await findKey(db, sha256)
    if (!row || !timingSafeEqual(row.key_sha256, sha256)) return null
    return { keyId: row.id, accountId: row.account_id, wallet: row.wallet, expiresAtS: row.expires_at_s }
  }

  return {
    async authenticate(bearer, which = 'any') {
      if (!looksLikeKey(bearer)) return null
      // Looked up by hash: timing may leak only the hash, which callers cannot choose.
      const sha256Hex = hash('sha256', bearer, 'hex')
      if (which === 'known' && live.latest(sha256Hex) === undefined) return null
      const lookup = live.load(sha256Hex, find)
      const key = lookup instanceof Promise ? await lookup : lookup
      return key !== null && key.expiresAtS > nowS(clock) ? key : null
    },
    forget,
    close: stopListening,
  }
}
