import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { HostedDeps } from './deps.ts'
import { writeLog } from './logs.ts'
import { type AgentPatch, changeAgent, readAgent, type StoredAgent } from './store.ts'
import type { LogEntry } from './types.ts'

export interface Change {
  patch: AgentPatch
  log?: Pick<LogEntry, 'kind' | 'code' | 'message' | 'data'>
  /** In the same transaction. */
  also?(sql: Sql): Promise<void>
}

const TRIES = 5

/**
 * Decides from a fresh reading and writes it, with its log row, in one transaction. When the agent changed in between,
 * it is read and decided anew. Null: nothing is to be changed.
 */
export async function change(
  deps: Pick<HostedDeps, 'db' | 'clock'>,
  find: () => Promise<StoredAgent>,
  decide: (agent: StoredAgent) => Promise<Change | null> | Change | null,
): Promise<StoredAgent> {
  for (let tries = 0; tries < TRIES; tries++) {
    const agent = await find()
    const made = await decide(agent)
    if (made === null) return agent
    const changed = await deps.db.transaction(async (sql) => {
      if (!(await changeAgent(sql, agent, made.patch))) return null
      await made.also?.(sql)
      if (made.log)
        await writeLog(sql, { agentId: agent.id, tick: null, atMs: deps.clock.nowMs(), ...made.log })
      return readAgent(sql, agent.id)
    })
    if (changed) return changed
  }
  return fail('HOSTED_UNAVAILABLE', { message: 'The agent is being changed by other calls: try again.' })
}

/** Ticks from now on. */
export const activation = (nowMs: number): AgentPatch => ({
  status: 'active',
  pauseReason: null,
  nextTickMs: nowMs,
})
