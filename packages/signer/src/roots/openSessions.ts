import type { Crypto, Hex } from '@pit/chain'
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
  const kept = new Map<Hex, Session>()

  async function load(rootHash: Hex): Promise<Session | null> {
    const stored = await ledger.load(rootHash)
    return stored && keep(reviveSession(crypto, pins, stored))
  }

  function keep(session: Session): Session {
    kept.delete(session.rootHash)
    kept.set(session.rootHash, session)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest) kept.delete(oldest)
    return session
  }

  return {
    find(rootHash: Hex): Session | Promise<Session | null> {
      const known = kept.get(rootHash)
      return known ? keep(known) : load(rootHash)
    },
  }
}
