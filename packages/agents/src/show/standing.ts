import type { AgentSession } from '@pit/sessions'
import type { StoredAgent } from '../store.ts'
import { outsideOf } from '../terms/fits.ts'

/** What keeps an agent from trading at its next tick, by the code it would be refused or held with. */
export interface Hold {
  code: string
  message: string
}
export interface Switched {
  killed: boolean
  /** Why no agent trades live here; null when they do. */
  liveOff: string | null
  /** The signer did not answer lately, or signs nothing. */
  signerSilent: boolean
}

export function holdsOf(agent: StoredAgent, session: AgentSession | null, switched: Switched): Hold[] {
  const holds: Hold[] = []
  const say = (code: string, message: string) => holds.push({ code, message })
  if (agent.status === 'paused') say('PAUSED', pausedText(agent))
  if (switched.killed) say('KILLED', 'The operator’s kill switch is engaged.')
  if (agent.mode === 'paper') return holds
  if (switched.liveOff !== null) say('LIVE_DISABLED', switched.liveOff)
  else if (switched.signerSilent)
    say('SIGNER_UNAVAILABLE', 'The signer does not answer, or signs nothing now.')
  if (!agent.live) say('LIVE_OFF', 'Its live flag is off: update it with live true.')
  if (session === null) say('NO_SESSION', 'No session is attached: grant one to its executor.')
  else if (session.status !== 'active')
    say('SESSION_NOT_ACTIVE', `The attached session is ${session.status}.`)
  else if (outsideOf(agent, session).length > 0) say('OUTSIDE_SESSION', 'It is wider than its session.')
  return holds
}

const PAUSED: Record<string, string> = {
  OWNER: 'Its owner paused it.',
  NEW: 'It is new: attach a session and switch it live.',
  ROTATED: 'Its executor was replaced: grant the new one a session and attach that.',
  CHANGED: 'It was changed: grant its executor a new session, attach that and switch it live.',
  SESSION_ENDED: 'Its session ended: grant another and attach that.',
  ERRORS: 'It failed too often: read its log.',
}
const pausedText = ({ pauseReason }: StoredAgent): string =>
  PAUSED[pauseReason?.code ?? ''] ?? 'It is paused.'

export const isTrading = (agent: StoredAgent, holds: readonly Hold[]): boolean =>
  agent.status === 'active' && agent.deletedAtS === null && holds.length === 0
