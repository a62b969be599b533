import { fail } from '@pit/protocol'
import { activation, change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { countOpen } from '../signed/store.ts'
import { checkFits } from '../terms/fits.ts'
import { isEntrant } from '../terms/practice.ts'
import { checkSwitches, needSession } from './live.ts'

/** Stops ticking. If the agent was paused for another reason, the reason becomes the owner's. */
export async function pauseByOwner(deps: HostedDeps, request: AgentRequest): Promise<AgentDetail> {
  const agent = await change(deps, request, async ({ status, pauseReason }) => {
    if (status === 'stopped') fail('STOPPED')
    if (pauseReason?.code === 'OWNER') return null
    const open = await countOpen(deps.db, request.id)
    const warning = open > 0 ? ` ${open} open orders, stops included, do not run while it is paused.` : ''
    return {
      patch: { status: 'paused', pauseReason: { code: 'OWNER' }, nextTickMs: null },
      log: { kind: 'state', code: 'PAUSED', message: `The owner paused the agent.${warning}` },
    }
  })
  return readDetail(deps, agent)
}

/** Ticks immediately, unless the agent has to wait for the rest of its interval. */
export async function resumeAgent(deps: HostedDeps, request: AgentRequest): Promise<AgentDetail> {
  const agent = await change(deps, request, async (current) => {
    if (current.status === 'stopped') fail('STOPPED')
    await checkSwitches(deps, current.mode)
    if (current.mode === 'live') checkFits(current, await needSession(deps, current))
    if (current.status === 'active') return null
    return {
      patch: activation(current, deps.clock.nowMs(), {
        isEntrant: await isEntrant(deps, deps.db, current),
      }),
      log: { kind: 'state', code: 'RESUMED', message: 'The owner resumed the agent.' },
    }
  })
  return readDetail(deps, agent)
}
