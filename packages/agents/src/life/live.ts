import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import { type AgentSession, readSession } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import type { StoredAgent } from '../store.ts'
import { checkFits } from '../terms/fits.ts'

/** The session an agent stands on. Refuses NO_SESSION without one, SESSION_NOT_ACTIVE once it ended. */
export async function needSession(
  { db, clock }: Pick<HostedDeps, 'db' | 'clock'>,
  { sessionId }: Pick<StoredAgent, 'sessionId'>,
): Promise<AgentSession> {
  if (sessionId === null) return fail('NO_SESSION', { status: 409, message: 'No session is attached.' })
  const session = await readSession(db, sessionId, nowS(clock))
  if (session?.status === 'active') return session
  return fail('SESSION_NOT_ACTIVE', { message: `The attached session is ${session?.status ?? 'gone'}.` })
}

type LiveDeps = Pick<HostedDeps, 'switches' | 'submitEnabled' | 'signer'>

/** Why no agent trades live here: by the operator's word, or for want of what a live trade needs. */
export async function whyLiveOff({ switches, submitEnabled, signer }: LiveDeps): Promise<string | null> {
  if (!submitEnabled) return 'Live trading is off on this server: it relays nothing.'
  if (signer === null) return 'Live trading is off on this server: it has no signer.'
  return (await switches.liveEnabled()) ? null : 'Live trading is off on this server.'
}

/** What is switched off here. */
export async function checkSwitches(deps: LiveDeps, mode: StoredAgent['mode']): Promise<void> {
  if (await deps.switches.killed()) fail('KILLED')
  const message = mode === 'live' ? await whyLiveOff(deps) : null
  if (message !== null) fail('LIVE_DISABLED', { message })
}

/** Before an agent trades for real, in the order of the documents; its terms are judged after. */
export async function checkLiveOn(
  deps: LiveDeps & Pick<HostedDeps, 'db' | 'clock'>,
  agent: Pick<StoredAgent, 'mode' | 'sessionId' | 'limits' | 'terms' | 'tokens'>,
): Promise<void> {
  const session = await needSession(deps, agent)
  await checkSwitches(deps, agent.mode)
  checkFits(agent, session)
}

/** A change of a live agent stays inside the session it has; one that ended bounds nothing any more. */
export async function checkStillFits(
  { db, clock }: Pick<HostedDeps, 'db' | 'clock'>,
  agent: Pick<StoredAgent, 'sessionId' | 'limits' | 'terms' | 'tokens'>,
): Promise<void> {
  if (agent.sessionId === null) return
  const session = await readSession(db, agent.sessionId, nowS(clock))
  if (session?.status === 'active') checkFits(agent, session)
}
