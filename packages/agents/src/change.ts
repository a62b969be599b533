import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { writeLogs } from './logs.ts'
import { DETACHED, endSigned } from './signed/endSigned.ts'
import { type AgentPatch, changeAgent, findOwned, readAgent, type StoredAgent } from './store.ts'
import { steeringOf } from './terms/steering.ts'
import type { LastDecision, LogEntry } from './types.ts'

type Log = Pick<LogEntry, 'kind' | 'code' | 'message' | 'data'>

export interface Change {
  patch: AgentPatch
  /** Steering inputs that changed outside the agent's row, such as its owner's model key. */
  inputs?: readonly string[]
  log?: Log
  /** Runs in the same transaction. */
  also?(sql: Sql): Promise<void>
}

const TRIES = 5

/**
 * Decides from a fresh read and stores the change with its log rows in one transaction. If the agent changed
 * in between, it is read and decided again. `decide` returns null for no change.
 */
export async function change(
  deps: Pick<HostedDeps, 'db' | 'clock'>,
  request: AgentRequest,
  decide: (agent: StoredAgent) => Promise<Change | null> | Change | null,
): Promise<StoredAgent> {
  for (let tries = 0; tries < TRIES; tries++) {
    const agent = await findOwned(deps.db, request)
    const decided = await decide(agent)
    if (decided === null) return agent
    const changed = await deps.db.transaction(async (sql) => {
      const isCurrent = await storeChange(sql, agent, decided, deps.clock.nowMs())
      return isCurrent ? readAgent(sql, agent.id) : null
    })
    if (changed) return changed
  }
  return fail('HOSTED_UNAVAILABLE', { message: 'The agent is being changed by other requests. Try again.' })
}

/**
 * Stores a change, and detaches the session in the same transaction if it steers the agent. False if the
 * agent changed since it was read.
 */
export async function storeChange(
  sql: Sql,
  agent: StoredAgent,
  { patch, inputs = [], log, also }: Change,
  atMs: number,
): Promise<boolean> {
  const steering = [...steeringOf(agent, patch), ...inputs]
  const detaching = steering.length === 0 ? null : detachingPatch(agent, steering)
  if (!(await changeAgent(sql, agent, { ...patch, ...detaching }))) return false
  if (detaching) await endSigned(sql, agent.id, DETACHED, atMs)
  await also?.(sql)
  const logs = [...(log ? [log] : []), ...(detaching ? [detachedLog(agent, steering)] : [])]
  await writeLogs(sql, ...logs.map((entry) => ({ agentId: agent.id, tick: null, atMs, ...entry })))
  return true
}

/** Only sessions granted after this change can be attached. */
const detachingPatch = (agent: StoredAgent, fields: string[]): AgentPatch => ({
  live: false,
  sessionId: null,
  staleSessions: null,
  ...(agent.status === 'active' && {
    status: 'paused',
    pauseReason: { code: 'CHANGED', fields },
    nextTickMs: null,
  }),
})

function detachedLog({ sessionId, executor }: StoredAgent, steering: readonly string[]): Log {
  const detached = sessionId === null ? '' : ` Session ${sessionId} is detached.`
  return {
    kind: 'session',
    code: 'DETACHED',
    message:
      `The owner changed ${steering.join(', ')}; the agent is off.${detached} ` +
      `Only a session granted to ${executor} after this change can be attached.`,
    data: { session_id: sessionId, fields: steering },
  }
}

/** The session that a change detached, and by which fields. */
export interface Detached {
  sessionId: string
  fields: readonly string[]
}

export const detachedBy = ({ sessionId }: StoredAgent, fields: readonly string[]): Detached | null =>
  sessionId === null || fields.length === 0 ? null : { sessionId, fields }

type Waiting = Pick<StoredAgent, 'brain' | 'mode' | 'intervalS' | 'lastDecision' | 'ticking'>

/**
 * Makes the agent tick again and resets its failures. Models, live agents and entrants of the practice board
 * (`isEntrant`) wait for the rest of their interval, so that pausing and resuming does not shorten it. Armed
 * orders do not wait.
 */
export function activation(
  agent: Waiting,
  nowMs: number,
  { isEntrant = false }: { isEntrant?: boolean } = {},
): AgentPatch {
  const isLive = agent.mode === 'live' && agent.brain !== 'orders'
  const keepsInterval = isEntrant || isLive || agent.brain === 'partner_llm'
  return {
    status: 'active',
    pauseReason: null,
    nextTickMs: keepsInterval ? intervalAfterLast(agent, nowMs) : nowMs,
    ...(agent.lastDecision && { lastDecision: withoutErrors(agent.lastDecision) }),
  }
}

const withoutErrors = ({ errors_in_a_row: _, ...last }: LastDecision): LastDecision => last

/**
 * One interval after the last tick, or now without one; never further away, even if the clock moved. A
 * running tick counts as the last one, even if its answer is lost.
 */
export function intervalAfterLast(
  { intervalS, lastDecision, ticking }: Omit<Waiting, 'brain' | 'mode'>,
  nowMs: number,
): number {
  const latestMs = nowMs + intervalS * 1_000
  if (ticking) return latestMs
  if (typeof lastDecision?.['at'] !== 'number') return nowMs
  return Math.min(Math.max(nowMs, (lastDecision['at'] + intervalS) * 1_000), latestMs)
}
