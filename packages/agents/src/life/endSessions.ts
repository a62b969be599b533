import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Answer, isPitError } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import { openSessionsOf } from '../sessions.ts'
import type { StoredAgent } from '../store.ts'

type SessionRevoke = Answer<'hosted.stop'>['session_revoke']
type Step = NonNullable<SessionRevoke>['on_chain'][number]

/**
 * Ends the attached session and whatever else was granted to these executors: none of it is co-signed any more. Answers
 * the steps that end it on chain, which are the main key's to send; null when there was none.
 */
export async function endSessions(
  deps: Pick<HostedDeps, 'db' | 'clock' | 'sessions'>,
  { wallet, sessionId }: Pick<StoredAgent, 'wallet' | 'sessionId'>,
  { executors, keyId }: { executors: readonly Address[]; keyId: number },
): Promise<SessionRevoke> {
  const open = await openSessionsOf(deps.db, { wallet, executors, nowS: nowS(deps.clock) })
  const ids = [...new Set([...(sessionId === null ? [] : [sessionId]), ...open.map(({ id }) => id)])]
  if (ids.length === 0) return null
  const revoked: Answer<'live.session.revoke'>[] = []
  for (const id of ids) {
    const answer = await deps.sessions.revokeFor(wallet, id, keyId).catch(goneAlready)
    if (answer) revoked.push(answer)
  }
  return {
    on_chain: inOneLine(revoked.map(({ on_chain }) => on_chain)),
    sessions: revoked.map(({ session_id, revoked_at, effective, signer_revoked, approvals }) => ({
      session_id,
      revoked_at,
      effective,
      signer_revoked,
      approvals,
    })),
  }
}

/** A grant that nobody signed may be swept away between two reads: there is nothing left of it to end. */
function goneAlready(error: unknown): null {
  if (isPitError(error) && error.code === 'NO_SESSION') return null
  throw error
}

/** Each session's steps start at the wallet's next nonce: those of later ones follow. */
export function inOneLine(groups: readonly (readonly Step[])[]): Step[] {
  let before = 0
  return groups.flatMap((steps) => {
    const moved = steps.map((step) => movedBy(step, before))
    before += steps.length
    return moved
  })
}

function movedBy(step: Step, by: number): Step {
  const tx = step['tx'] as { nonce?: unknown } | null | undefined
  return typeof tx?.nonce === 'number' ? { ...step, tx: { ...tx, nonce: tx.nonce + by } } : step
}
