import type { Crypto, Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { systemClock } from '@pit/platform/clock'
import type { Ledger } from '../ledger/openLedger.ts'
import type { Pins } from '../pins.ts'
import { reviveSession, type Session } from './readRoots.ts'

const MAX_KEPT = 10_000

/**
 * Sessions by their root, those used lately in memory: what the owner signed never changes. Whether one was
 * revoked and what it spent is the ledger's to say, each time.
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
  // What is not registered yet may be in a moment.
  const ttlMs = (session: Session | null) => (session === null ? 0 : Number.POSITIVE_INFINITY)
  const cache = createCache<Hex, Session | null>({ max: MAX_KEPT, ttlMs, clock: systemClock })

  async function load(rootHash: Hex): Promise<Session | null> {
    const stored = await ledger.load(rootHash)
    return stored && reviveSession(crypto, pins, stored)
  }
  return { find: (rootHash: Hex) => cache.load(rootHash, load) }
}
