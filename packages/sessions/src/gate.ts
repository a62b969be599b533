import type { Address } from '@pit/chain'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'

/** Checks the relay makes before it sends session transactions. */
export interface SessionGate {
  /** Whether a signer other than the key's wallet is the executor of one of that wallet's sessions. */
  executorOf(request: { wallet: Address; signer: Address }): Promise<boolean>
  /** Whether a session can still trade; plans of a revoked session are not sent. */
  isOpen(sessionId: string): Promise<boolean>
}

export function createSessionGate({ db, clock }: { db: Sql; clock: Clock }): SessionGate {
  const hasActive = async (where: string, values: readonly string[]): Promise<boolean> => {
    const rows = await db.query(
      `select id from sessions where status = 'active' and expires_at_s > $1 and ${where} limit 1`,
      [nowS(clock), ...values],
    )
    return rows.length > 0
  }
  return {
    executorOf: ({ wallet, signer }) => hasActive('wallet = $2 and executor = $3', [wallet, signer]),
    isOpen: (sessionId) => hasActive('id = $2', [sessionId]),
  }
}
