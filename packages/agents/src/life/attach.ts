import { nowS } from '@pit/platform/clock'
import { fail, SESSION } from '@pit/protocol'
import { type AgentSession, readSession } from '@pit/sessions'
import { change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { isAttested } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { checkFits } from '../terms/fits.ts'
import { listStale } from './stale.ts'

/** The owner's own grant to the agent's executor; from then on it bounds every trade. */
export async function attachSession(
  deps: HostedDeps,
  request: AgentRequest & { sessionId: string },
): Promise<AgentDetail> {
  await listStale(deps, await findOwned(deps.db, request))
  const agent = await change(deps, request, async (found) => {
    if (found.mode === 'paper') fail('PAPER_AGENT')
    if (found.status === 'stopped') fail('STOPPED')
    const now = nowS(deps.clock)
    const session = await readSession(deps.db, request.sessionId, now)
    if (!session || session.wallet !== found.wallet) {
      return fail('NO_SESSION', { status: 404, field: 'session_id' })
    }
    refuseBad(sessionFaults(found, session, now))
    checkFits(found, session)
    checkAttestation(deps, found)
    if (found.sessionId === session.id) return null
    const ends = new Date(session.expiresAtS * 1_000).toISOString()
    return {
      patch: { sessionId: session.id },
      log: {
        kind: 'session',
        code: 'ATTACHED',
        message: `Session ${session.id} was attached; it ends ${ends}.`,
        data: { session_id: session.id, replaced: found.sessionId },
      },
    }
  })
  return readDetail(deps, agent)
}

export interface SessionFault {
  rule: 'executor' | 'status' | 'expiry' | 'granted' | 'version' | 'tokens'
  message: string
}

/** A session that ends before the first ticks is of no use. */
const MIN_LEFT_S = 60

/** Why a session cannot drive this agent at all: every reason, not the first. */
export function sessionFaults(
  { executor, tokens, staleSessions }: Pick<StoredAgent, 'executor' | 'tokens' | 'staleSessions'>,
  session: AgentSession,
  now: number,
): SessionFault[] {
  const faults: SessionFault[] = []
  const say = (bad: boolean, rule: SessionFault['rule'], message: string) => {
    if (bad) faults.push({ rule, message })
  }
  const { binding, status, expiresAtS } = session
  say(
    session.executor !== executor,
    'executor',
    `it was granted to ${session.executor}, not to the agent’s executor ${executor}`,
  )
  say(status !== 'active', 'status', `it is ${status}`)
  say(
    status === 'active' && expiresAtS - now < MIN_LEFT_S,
    'expiry',
    `it ends in ${expiresAtS - now} seconds`,
  )
  say(
    // Not listed yet: a change is being made at this moment.
    session.executor === executor && (staleSessions?.includes(session.id) ?? true),
    'granted',
    'it was granted before the agent was last changed (brain, params, pairs, a shorter interval, or wider ' +
      'limits or terms), so its owner has not signed for the agent as it is: grant a new one',
  )
  say(
    binding.version < SESSION.bindingVersion,
    'version',
    `its binding is of version ${binding.version}, and hosted agents need ${SESSION.bindingVersion}`,
  )
  const missing = tokens.filter(({ address }) => !(binding.tokens as string[]).includes(address))
  say(missing.length > 0, 'tokens', `it does not name ${missing.map(({ token }) => token).join(', ')}`)
  return faults
}

function refuseBad(faults: readonly SessionFault[]): void {
  if (faults.length === 0) return
  fail('BAD_SESSION', {
    message: `This session cannot drive the agent: ${faults.map(({ message }) => message).join('; ')}.`,
    checks: faults.map(({ rule, message }) => ({ rule, ok: false, message })),
  })
}

/** Whose key it is that gets the session must be beyond doubt. */
function checkAttestation(
  deps: HostedDeps,
  { id, wallet, executor, executorAttestation: attestation }: StoredAgent,
): void {
  if (executor && attestation && isAttested(deps, { executor, owner: wallet, agentId: id, attestation }))
    return
  fail('EXECUTOR_ATTESTATION')
}
