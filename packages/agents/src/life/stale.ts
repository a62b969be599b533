import { nowS } from '@pit/platform/clock'
import { openSessionsOf } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import { keepStale, readAgent, type StoredAgent } from '../store.ts'

const TRIES = 5

/**
 * Lists the sessions that were granted before a change: those whose grant had begun once the change was
 * stored, signed or not. Read after the change, so that none begun before it is missed and no clock is asked.
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
    // Not kept when it was changed meanwhile: that change is listed for anew.
    agent = (await readAgent(deps.db, agent.id)) ?? agent
  }
  return agent
}
