import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { ApiKey } from '../http/types.ts'
import { REVOKED_CHANNEL, type Revoked } from './store.ts'

/** Keys found live lately, by the hex of their hash. Only ever holds what the store said yes to. */
export interface KeyCache {
  /** The live key: from memory, or from `find` when it is not there or is due to be asked again. */
  read(sha256Hex: string, find: () => Promise<ApiKey | null>): ApiKey | Promise<ApiKey | null>
  /** Whether it was found live lately; it may be due to be asked again. */
  has(sha256Hex: string): boolean
  /** At once, and for look-ups under way too. */
  forget(revoked: Revoked): void
  close(): Promise<void>
}

interface Entry {
  key: ApiKey
  foundAtMs: number
}

const MOST_KEYS = 20_000
/**
 * Other processes' revocations arrive as notifications, within milliseconds; this bounds the wait when one is lost
 * without the connection noticing. The embedded store has one process, which hears itself: no need to ask again.
 */
const ASK_AGAIN_AFTER_MS: Record<Db['engine'], number> = { pglite: Number.POSITIVE_INFINITY, postgres: 1_000 }

export async function openKeyCache({ db, clock }: { db: Db; clock: Clock }): Promise<KeyCache> {
  const entries = new Map<string, Entry>()
  const underWay = new Map<string, Promise<ApiKey | null>>()
  const askAgainAfterMs = ASK_AGAIN_AFTER_MS[db.engine]
  let listening = true
  // A look-up that began before a revocation may not be kept after it.
  let revocations = 0

  const forgetUnderWay = () => {
    revocations++
    underWay.clear()
  }
  const forgetAll = () => {
    forgetUnderWay()
    entries.clear()
  }
  function forget(revoked: Revoked): void {
    forgetUnderWay()
    for (const [hash, { key }] of entries) {
      if ('keyId' in revoked ? key.keyId === revoked.keyId : key.wallet === revoked.wallet)
        entries.delete(hash)
    }
  }

  // The embedded store hears only itself, but it too may stop and come back with a revocation nobody was told of.
  const stopListening = await db.listen(REVOKED_CHANNEL, {
    heard: (payload) => forget(JSON.parse(payload) as Revoked),
    lost() {
      listening = false
      forgetAll()
    },
    back() {
      forgetAll()
      listening = true
    },
  })

  function keep(hash: string, key: ApiKey): void {
    if (entries.size >= MOST_KEYS) {
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    }
    // Deleted first, so that the map's order is by when they were found.
    entries.delete(hash)
    entries.set(hash, { key, foundAtMs: clock.nowMs() })
  }

  function read(hash: string, find: () => Promise<ApiKey | null>): ApiKey | Promise<ApiKey | null> {
    const entry = entries.get(hash)
    if (entry) {
      const ageMs = clock.nowMs() - entry.foundAtMs
      // A clock set back makes the age negative: ask.
      if (ageMs >= 0 && ageMs < askAgainAfterMs) return entry.key
    }
    const asked = underWay.get(hash)
    if (asked) return asked
    const before = revocations
    const asking = find()
      .then((key) => {
        if (key === null) entries.delete(hash)
        else if (listening && before === revocations) keep(hash, key)
        return key
      })
      .finally(() => {
        if (underWay.get(hash) === asking) underWay.delete(hash)
      })
    underWay.set(hash, asking)
    return asking
  }

  return { read, has: (hash) => entries.has(hash), forget, close: stopListening }
}
