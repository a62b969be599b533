import { nowS } from '@pit/platform/clock'
import { openSessionsOf } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import { keepStale, readAgent, type StoredAgent } from '../store.ts'

const TRIES = 5

/**
 * Lists the sessions granted before a change: every grant that had started when the change was stored, signed
 * or not. Read after the change, so that no earlier one is missed and no clock is compared.
 */
export async function listStale(
  deps: Pick<HostedDeps, 'db' | 'clock'>,
  changed: StoredAgent,
): Promise<StoredAgent> {
  let agent = changed
  for (let tries = 0; tries < TRIES && agent.staleSessions === null && agent.executor; tries++) {
    const { wallet, executor } = agent
    const open = await openSessionsOf(deps.db, { wallet, executors: [executor], nowS: nowS(deps.clock) })
    await keepStale(
      deps.db,
      agent,
      open.map(({ id }) => id),
    )
    // Not stored if the agent changed meanwhile: that change lists its own stale sessions.
    agent = (await readAgent(deps.db, agent.id)) ?? agent
  }
  return agent
}
