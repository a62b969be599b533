import type { AgentSession } from '@pit/sessions'
import type { StoredAgent } from '../store.ts'
import { outsideOf } from '../terms/fits.ts'

/** A reason why an agent will not trade at its next tick, with the code it would be refused or held with. */
export interface Hold {
  code: string
  message: string
}
export interface Switched {
  killed: boolean
  /** Why live trading is off; null if it is on. */
  liveOff: string | null
  /** The signer is unreachable or not signing. */
  signerSilent: boolean
}

export function holdsOf(agent: StoredAgent, session: AgentSession | null, switched: Switched): Hold[] {
  const holds: Hold[] = []
  const say = (code: string, message: string) => holds.push({ code, message })
  if (agent.status === 'paused') say('PAUSED', pausedText(agent))
  if (switched.killed) say('KILLED', 'The operator’s kill switch is engaged.')
  if (agent.mode === 'paper') return holds
  if (switched.liveOff !== null) say('LIVE_DISABLED', switched.liveOff)
  else if (switched.signerSilent) say('SIGNER_UNAVAILABLE', 'The signer is unreachable or not signing.')
  if (!agent.live) say('LIVE_OFF', 'The agent is switched off. Update it with live true.')
  if (session === null) say('NO_SESSION', 'No session is attached. Grant one to the executor.')
  else if (session.status !== 'active')
    say('SESSION_NOT_ACTIVE', `The attached session is ${session.status}.`)
  else if (outsideOf(agent, session).length > 0)
    say('OUTSIDE_SESSION', 'The agent’s limits exceed its session.')
  return holds
}

const PAUSED: Record<string, string> = {
  OWNER: 'Paused by the owner.',
  NEW: 'New agent: attach a session and switch live on.',
  ROTATED: 'The executor was replaced. Grant a session to the new one and attach it.',
  CHANGED: 'The agent was changed. Grant a new session to its executor, attach it and switch live on.',
  SESSION_ENDED: 'The session ended. Grant a new one and attach it.',
  ERRORS: 'Too many failed decisions. See the log.',
}
const pausedText = ({ pauseReason }: StoredAgent): string =>
  PAUSED[pauseReason?.code ?? ''] ?? 'The agent is paused.'

export const isTrading = (agent: StoredAgent, holds: readonly Hold[]): boolean =>
  agent.status === 'active' && agent.deletedAtS === null && holds.length === 0
