import type { Crypto, Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { systemClock } from '@pit/platform/clock'
import type { Ledger } from '../ledger/openLedger.ts'
import type { Pins } from '../pins.ts'
import { reviveSession, type Session } from './readRoots.ts'

const MAX_CACHED = 10_000

/**
 * Sessions by their root hash; recent ones are cached, because the signed data never changes. Revocation and
 * spend are read from the ledger each time.
 */
export function openSessions({
  crypto,
  pins,
  ledger,
}: {
  crypto: Crypto
  pins: Pins
  ledger: Pick<Ledger, 'load'>
}) {
  // A missing root may be registered at any moment, so it is not cached.
  const ttlMs = (session: Session | null) => (session === null ? 0 : Number.POSITIVE_INFINITY)
  const cache = createCache<Hex, Session | null>({ max: MAX_CACHED, ttlMs, clock: systemClock })

  async function load(rootHash: Hex): Promise<Session | null> {
    const stored = await ledger.load(rootHash)
    return stored && reviveSession(crypto, pins, stored)
  }
  return { find: (rootHash: Hex) => cache.load(rootHash, load) }
}
