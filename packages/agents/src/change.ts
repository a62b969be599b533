import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { writeLogs } from './logs.ts'
import { type AgentPatch, changeAgent, findOwned, readAgent, type StoredAgent } from './store.ts'
import type { LastDecision, LogEntry } from './types.ts'

export interface Change {
  patch: AgentPatch
  log?: Pick<LogEntry, 'kind' | 'code' | 'message' | 'data'>
  /** In the same transaction. */
  also?(sql: Sql): Promise<void>
}

const TRIES = 5

/**
 * Decides from a fresh reading and writes it, with its log row, in one transaction. When the agent changed in
 * between, it is read and decided anew. Null: nothing is to be changed.
 */
export async function change(
  deps: Pick<HostedDeps, 'db' | 'clock'>,
  request: AgentRequest,
  decide: (agent: StoredAgent) => Promise<Change | null> | Change | null,
): Promise<StoredAgent> {
  for (let tries = 0; tries < TRIES; tries++) {
    const agent = await findOwned(deps.db, request)
    const made = await decide(agent)
    if (made === null) return agent
    const changed = await deps.db.transaction(async (sql) => {
      if (!(await changeAgent(sql, agent, made.patch))) return null
      await made.also?.(sql)
      if (made.log)
        await writeLogs(sql, { agentId: agent.id, tick: null, atMs: deps.clock.nowMs(), ...made.log })
      return readAgent(sql, agent.id)
    })
    if (changed) return changed
  }
  return fail('HOSTED_UNAVAILABLE', { message: 'The agent is being changed by other calls: try again.' })
}

type Waiting = Pick<StoredAgent, 'brain' | 'mode' | 'intervalS' | 'lastDecision' | 'ticking'>

/**
 * Ticks from now on, with its failures forgiven. Models, live agents and `isEntrant`, the practice board's, wait
 * for the rest of their interval: pausing and resuming must not be a way to a shorter one.
 */
export function activation(
  agent: Waiting,
  nowMs: number,
  { isEntrant = false }: { isEntrant?: boolean } = {},
): AgentPatch {
  const keepsInterval = isEntrant || agent.mode === 'live' || agent.brain === 'partner_llm'
  return {
    status: 'active',
    pauseReason: null,
    nextTickMs: keepsInterval ? intervalAfterLast(agent, nowMs) : nowMs,
    ...(agent.lastDecision && { lastDecision: withoutErrors(agent.lastDecision) }),
  }
}

const withoutErrors = ({ errors_in_a_row: _, ...last }: LastDecision): LastDecision => last

/**
 * An interval after the last tick, at once without one; never further away, wherever the clock stood then.
 * One that is under way is the last: its brain has been asked, whatever becomes of the answer.
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
