import type { Call } from '@pit/platform/call'
import { type Answer, fail } from '@pit/protocol'
import { activation, change } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { findOwned } from '../findOwned.ts'
import { readDetail } from '../show/readDetail.ts'
import { checkFits } from '../terms/fits.ts'
import { isEntrant } from '../terms/practice.ts'
import { checkSwitches, needSession } from './live.ts'

/** hosted/<id>/pause: no tick from now on. One that waits for something else then waits for its owner. */
export async function pauseByOwner(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.pause'>,
): Promise<Answer<'hosted.pause'>> {
  const agent = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    ({ status, pauseReason }) => {
      if (status === 'stopped') fail('STOPPED')
      if (pauseReason?.code === 'OWNER') return null
      return {
        patch: { status: 'paused', pauseReason: { code: 'OWNER' }, nextTickMs: null },
        log: { kind: 'state', code: 'PAUSED', message: 'The owner paused the agent.' },
      }
    },
  )
  return readDetail(deps, agent)
}

/** hosted/<id>/resume: it ticks at once, unless it is asked at intervals and was a moment ago. */
export async function resumeAgent(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.resume'>,
): Promise<Answer<'hosted.resume'>> {
  const agent = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    async (found) => {
      if (found.status === 'stopped') fail('STOPPED')
      await checkSwitches(deps, found.mode)
      if (found.mode === 'live') checkFits(found, await needSession(deps, found))
      if (found.status === 'active') return null
      return {
        patch: activation(found, deps.clock.nowMs(), {
          keepsInterval: found.brain === 'partner_llm' || (await isEntrant(deps, deps.db, found)),
        }),
        log: { kind: 'state', code: 'RESUMED', message: 'The owner resumed the agent.' },
      }
    },
  )
  return readDetail(deps, agent)
}
