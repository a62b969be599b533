import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { isPitError } from '@pit/protocol'
import { openSessionsOf, type Revoked } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import type { StoredAgent } from '../store.ts'

/**
 * Ends the attached session and whatever else was granted to these executors: none of it is co-signed any
 * more. Answers what is left of each to end on chain, which is the main key's to send; null when there was
 * none.
 */
export async function endSessions(
  deps: Pick<HostedDeps, 'db' | 'clock' | 'sessions'>,
  { wallet, sessionId }: Pick<StoredAgent, 'wallet' | 'sessionId'>,
  { executors, keyId }: { executors: readonly Address[]; keyId: number },
): Promise<Revoked[] | null> {
  const open = await openSessionsOf(deps.db, { wallet, executors, nowS: nowS(deps.clock) })
  const ids = [...new Set([...(sessionId === null ? [] : [sessionId]), ...open.map(({ id }) => id)])]
  if (ids.length === 0) return null
  const revoked: Revoked[] = []
  for (const id of ids) {
    const ended = await deps.sessions.revokeSession({ wallet, sessionId: id, keyId }).catch(goneAlready)
    if (ended) revoked.push(ended)
  }
  return revoked
}

/** A grant that nobody signed may be swept away between two reads: there is nothing left of it to end. */
function goneAlready(error: unknown): null {
  if (isPitError(error) && error.code === 'NO_SESSION') return null
  throw error
}
