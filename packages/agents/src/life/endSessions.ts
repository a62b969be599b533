import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { isPitError } from '@pit/protocol'
import { openSessionsOf, type Revoked } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import type { StoredAgent } from '../store.ts'

/**
 * Ends the attached session and all other grants to these executors, so that none is co-signed any more.
 * Returns the on-chain steps left for each, which the main key has to send; empty if nothing was open.
 */
export async function endSessions(
  deps: Pick<HostedDeps, 'db' | 'clock' | 'sessions'>,
  { wallet, sessionId }: Pick<StoredAgent, 'wallet' | 'sessionId'>,
  { executors, keyId }: { executors: readonly Address[]; keyId: number },
): Promise<Revoked[]> {
  const open = await openSessionsOf(deps.db, { wallet, executors, nowS: nowS(deps.clock) })
  const ids = [...new Set([...(sessionId === null ? [] : [sessionId]), ...open.map(({ id }) => id)])]
  const revoked: Revoked[] = []
  for (const id of ids) {
    const ended = await deps.sessions.revokeSession({ wallet, sessionId: id, keyId }).catch(ignoreDeleted)
    if (ended) revoked.push(ended)
  }
  return revoked
}

/** An unsigned grant may be deleted between two reads; then nothing is left to end. */
function ignoreDeleted(error: unknown): null {
  if (isPitError(error) && error.code === 'NO_SESSION') return null
  throw error
}
