import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import { type AgentSession, readSession } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import type { StoredAgent } from '../store.ts'
import { checkFits } from '../terms/fits.ts'

/** The agent's session. Throws NO_SESSION without one, SESSION_NOT_ACTIVE if it ended. */
export async function needSession(
  { db, clock }: Pick<HostedDeps, 'db' | 'clock'>,
  { sessionId }: Pick<StoredAgent, 'sessionId'>,
): Promise<AgentSession> {
  if (sessionId === null) return fail('NO_SESSION', { status: 409, message: 'No session is attached.' })
  const session = await readSession(db, sessionId, nowS(clock))
  if (session?.status === 'active') return session
  return fail('SESSION_NOT_ACTIVE', { message: `The attached session is ${session?.status ?? 'unknown'}.` })
}

type LiveDeps = Pick<HostedDeps, 'switches' | 'submitEnabled' | 'signer'>

/** Why live trading is off: switched off by the operator, or a required part is missing. */
export async function whyLiveOff({ switches, submitEnabled, signer }: LiveDeps): Promise<string | null> {
  if (!submitEnabled) return 'Live trading is off: this server does not relay transactions.'
  if (signer === null) return 'Live trading is off: this server has no signer.'
  return (await switches.liveEnabled()) ? null : 'Live trading is off on this server.'
}

/** Throws if the operator switched off hosted agents or this mode. */
export async function checkSwitches(deps: LiveDeps, mode: StoredAgent['mode']): Promise<void> {
  if (await deps.switches.killed()) fail('KILLED')
  const message = mode === 'live' ? await whyLiveOff(deps) : null
  if (message !== null) fail('LIVE_DISABLED', { message })
}

/** Checks before live trading, in the documented order; the agent's terms are checked later. */
export async function checkLiveOn(
  deps: LiveDeps & Pick<HostedDeps, 'db' | 'clock'>,
  agent: Pick<StoredAgent, 'mode' | 'sessionId' | 'limits' | 'terms' | 'tokens'>,
): Promise<void> {
  const session = await needSession(deps, agent)
  await checkSwitches(deps, agent.mode)
  checkFits(agent, session)
}

/** A change of a live agent must stay inside its session; an ended session sets no limits. */
export async function checkStillFits(
  { db, clock }: Pick<HostedDeps, 'db' | 'clock'>,
  agent: Pick<StoredAgent, 'sessionId' | 'limits' | 'terms' | 'tokens'>,
): Promise<void> {
  if (agent.sessionId === null) return
  const session = await readSession(db, agent.sessionId, nowS(clock))
  if (session?.status === 'active') checkFits(agent, session)
}
