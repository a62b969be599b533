import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail } from '@pit/protocol'
import { change } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { executorsOf } from '../executors.ts'
import { findOwned } from '../findOwned.ts'
import { readDetail } from '../show/readDetail.ts'
import { markLeft } from '../store.ts'
import { endSessions } from './endSessions.ts'

/**
 * hosted/<id>/stop: for good. It stops first, then its sessions end, so that a call that fails half-way has stopped it;
 * asked again it does the rest and answers what is still to be sent on chain.
 */
export async function stopAgent(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.stop'>,
): Promise<Answer<'hosted.stop'>> {
  const agent = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    ({ status }) => {
      if (status === 'stopped') return null
      return {
        patch: {
          status: 'stopped',
          live: false,
          pauseReason: null,
          nextTickMs: null,
          stoppedAtS: nowS(deps.clock),
        },
        log: { kind: 'state', code: 'STOPPED', message: 'The owner stopped the agent for good.' },
      }
    },
  )
  const executors = (await executorsOf(deps.db, agent.id)).map(({ executor }) => executor)
  const session_revoke = await endSessions(deps, agent, { executors, keyId: caller.key!.keyId })
  await leaveNow(deps, agent.id)
  return { ...(await readDetail(deps, agent)), session_revoke }
}

/** hosted/<id>/delete: it is not shown any more; its executor, and the gas on it, outlive it. */
export async function deleteAgent(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.delete'>,
): Promise<Answer<'hosted.delete'>> {
  const { id, executor } = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    ({ mode, status }) => {
      if (mode === 'live' && status !== 'stopped') fail('STOP_FIRST')
      const atS = nowS(deps.clock)
      return {
        patch: {
          deletedAtS: atS,
          nextTickMs: null,
          webhookSecret: null,
          ...(status !== 'stopped' && { status: 'stopped', pauseReason: null, stoppedAtS: atS }),
        },
        log: { kind: 'state', code: 'DELETED', message: 'The owner deleted the agent.' },
      }
    },
  )
  await leaveNow(deps, id)
  return { id, deleted: true, executor }
}

/** It has stopped whatever the league says: what fails here is told again by the sweep. */
export async function leaveNow(
  { db, clock, logger, leaveLeague }: Pick<HostedDeps, 'db' | 'clock' | 'logger' | 'leaveLeague'>,
  id: string,
): Promise<void> {
  try {
    await leaveLeague(id)
    await markLeft(db, id, nowS(clock))
  } catch (error) {
    logger.warn({ err: error, agentId: id }, 'the league did not hear that an agent stopped')
  }
}
