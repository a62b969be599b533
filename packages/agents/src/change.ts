import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { writeLogs } from './logs.ts'
import { type AgentPatch, changeAgent, findOwned, readAgent, type StoredAgent } from './store.ts'
import type { LastDecision, LogEntry } from './types.ts'

export interface Change {
  patch: AgentPatch
  log?: Pick<LogEntry, 'kind' | 'code' | 'message' | 'data'>
  /** Runs in the same transaction. */
  also?(sql: Sql): Promise<void>
}

const TRIES = 5

/**
 * Decides from a fresh read and stores the change with its log row in one transaction. If the agent changed
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
      if (!(await changeAgent(sql, agent, decided.patch))) return null
      await decided.also?.(sql)
      if (decided.log)
        await writeLogs(sql, { agentId: agent.id, tick: null, atMs: deps.clock.nowMs(), ...decided.log })
      return readAgent(sql, agent.id)
    })
    if (changed) return changed
  }
  return fail('HOSTED_UNAVAILABLE', { message: 'The agent is being changed by other requests. Try again.' })
}

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
