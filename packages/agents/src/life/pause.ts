import { fail } from '@pit/protocol'
import { activation, change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { checkFits } from '../terms/fits.ts'
import { isEntrant } from '../terms/practice.ts'
import { checkSwitches, needSession } from './live.ts'

/** No tick from now on. One that waits for something else then waits for its owner. */
export async function pauseByOwner(deps: HostedDeps, request: AgentRequest): Promise<AgentDetail> {
  const agent = await change(deps, request, ({ status, pauseReason }) => {
    if (status === 'stopped') fail('STOPPED')
    if (pauseReason?.code === 'OWNER') return null
    return {
      patch: { status: 'paused', pauseReason: { code: 'OWNER' }, nextTickMs: null },
      log: { kind: 'state', code: 'PAUSED', message: 'The owner paused the agent.' },
    }
  })
  return readDetail(deps, agent)
}

/** It ticks at once, unless it is asked at intervals and was a moment ago. */
export async function resumeAgent(deps: HostedDeps, request: AgentRequest): Promise<AgentDetail> {
  const agent = await change(deps, request, async (found) => {
    if (found.status === 'stopped') fail('STOPPED')
    await checkSwitches(deps, found.mode)
    if (found.mode === 'live') checkFits(found, await needSession(deps, found))
    if (found.status === 'active') return null
    return {
      patch: activation(found, deps.clock.nowMs(), {
        isEntrant: await isEntrant(deps, deps.db, found),
      }),
      log: { kind: 'state', code: 'RESUMED', message: 'The owner resumed the agent.' },
    }
  })
  return readDetail(deps, agent)
}
