import { nowS } from '@pit/platform/clock'
import { fail, SESSION } from '@pit/protocol'
import { type AgentSession, readSession } from '@pit/sessions'
import { change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { DETACHED, endSigned } from '../signed/endSigned.ts'
import { isAttested } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { checkFits } from '../terms/fits.ts'
import { listStale } from './stale.ts'

/** Attaches the owner's grant to the agent's executor; from then on it limits every trade. */
export async function attachSession(
  deps: HostedDeps,
  request: AgentRequest & { sessionId: string },
): Promise<AgentDetail> {
  await listStale(deps, await findOwned(deps.db, request))
  const agent = await change(deps, request, async (current) => {
    if (current.mode === 'paper') fail('PAPER_AGENT')
    if (current.status === 'stopped') fail('STOPPED')
    const now = nowS(deps.clock)
    const session = await readSession(deps.db, request.sessionId, now)
    if (!session || session.wallet !== current.wallet) {
      return fail('NO_SESSION', { status: 404, field: 'session_id' })
    }
    refuseSession(sessionFaults(current, session, now))
    checkFits(current, session)
    checkAttestation(deps, current)
    if (current.sessionId === session.id) return null
    const ends = `${new Date(session.expiresAtS * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    return {
      patch: { sessionId: session.id },
      log: {
        kind: 'session',
        code: 'ATTACHED',
        message: `Session ${session.id} was attached; it expires ${ends}.`,
        data: { session_id: session.id, replaced: current.sessionId },
      },
      also: async (sql) =>
        void (await endSigned(sql, current.id, DETACHED, deps.clock.nowMs(), { sessionIdNot: session.id })),
    }
  })
  return readDetail(deps, agent)
}

export interface SessionFault {
  rule: 'executor' | 'status' | 'expiry' | 'granted' | 'version' | 'tokens'
  message: string
}

/** Minimum remaining lifetime of a session that is attached. */
const MIN_LEFT_S = 60

/** All reasons why a session cannot be used by this agent. */
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
  say(status !== 'active', 'status', `its status is ${status}`)
  say(status === 'active' && expiresAtS - now < MIN_LEFT_S, 'expiry', `it expires in ${expiresAtS - now} s`)
  say(
    // Not listed yet: the agent is being changed right now.
    session.executor === executor && (staleSessions?.includes(session.id) ?? true),
    'granted',
    'it was granted before the agent was last changed (brain, params, pairs, a shorter interval, or wider ' +
      'limits or terms), so its owner has not signed for the agent’s current settings: grant a new one',
  )
  say(
    binding.version < SESSION.bindingVersion,
    'version',
    `its binding has version ${binding.version}, but hosted agents need version ${SESSION.bindingVersion}`,
  )
  const missing = tokens.filter(({ address }) => !(binding.tokens as string[]).includes(address))
  say(missing.length > 0, 'tokens', `it does not include ${missing.map(({ token }) => token).join(', ')}`)
  return faults
}

export function refuseSession(faults: readonly SessionFault[]): void {
  if (faults.length === 0) return
  fail('BAD_SESSION', {
    message: `The agent cannot use this session: ${faults.map(({ message }) => message).join('; ')}.`,
    checks: faults.map(({ rule, message }) => ({ rule, ok: false, message })),
  })
}

/** The session's executor must be proven to be the agent's. */
function checkAttestation(
  deps: HostedDeps,
  { id, wallet, executor, executorAttestation: attestation }: StoredAgent,
): void {
  if (executor && attestation && isAttested(deps, { executor, owner: wallet, agentId: id, attestation }))
    return
  fail('EXECUTOR_ATTESTATION')
}
