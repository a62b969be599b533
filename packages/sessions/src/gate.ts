import type { Address } from '@pit/chain'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { hasExecutor, isActive } from './store.ts'

/** What the relay asks of sessions before it lets their transactions out. */
export interface SessionGate {
  /** Whether a signer that is not the key's wallet is the executor of one of that wallet's sessions. */
  executorOf(ask: { wallet: Address; signer: Address }): Promise<boolean>
  /** Whether a session can still trade: what was planned under one that was revoked does not leave. */
  isOpen(sessionId: string): Promise<boolean>
}

export function createSessionGate({ db, clock }: { db: Sql; clock: Clock }): SessionGate {
  return {
    executorOf: ({ wallet, signer }) => hasExecutor(db, { wallet, executor: signer, nowS: nowS(clock) }),
    isOpen: (sessionId) => isActive(db, sessionId, nowS(clock)),
  }
}
