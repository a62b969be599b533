import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import type { Revoked } from '@pit/sessions'
import { change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { executorsOf } from '../executors.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { endSigned, STOPPED } from '../signed/endSigned.ts'
import { markLeft, type StoredAgent } from '../store.ts'
import { endSessions } from './endSessions.ts'

/**
 * Stops the agent permanently, then ends its sessions: a request that fails half-way has still stopped it. A
 * retry completes the rest and returns the steps still to be sent on chain.
 */
export async function stopAgent(
  deps: HostedDeps,
  request: AgentRequest,
): Promise<{ detail: AgentDetail; revoked: Revoked[] }> {
  const agent = await change(deps, request, ({ status }) => {
    if (status === 'stopped') return null
    return {
      patch: {
        status: 'stopped',
        live: false,
        pauseReason: null,
        nextTickMs: null,
        stoppedAtS: nowS(deps.clock),
      },
      log: { kind: 'state', code: 'STOPPED', message: 'The owner stopped the agent.' },
      also: async (sql) => void (await endSigned(sql, request.id, STOPPED, deps.clock.nowMs())),
    }
  })
  const executors = (await executorsOf(deps.db, agent.id)).map(({ executor }) => executor)
  const revoked = await endSessions(deps, agent, { executors, keyId: request.by.keyId })
  await leaveNow(deps, agent.id)
  return { detail: await readDetail(deps, agent), revoked }
}

/** Hides the agent; its executor and the gas on it remain. */
export async function deleteAgent(deps: HostedDeps, request: AgentRequest): Promise<StoredAgent> {
  const agent = await change(deps, request, ({ mode, status }) => {
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
      also: async (sql) => void (await endSigned(sql, request.id, STOPPED, deps.clock.nowMs())),
    }
  })
  await leaveNow(deps, agent.id)
  return agent
}

/** The agent is stopped even if this fails; the sweep retries. */
export async function leaveNow(
  { db, clock, logger, leaveLeague }: Pick<HostedDeps, 'db' | 'clock' | 'logger' | 'leaveLeague'>,
  id: string,
): Promise<void> {
  try {
    await leaveLeague(id)
    await markLeft(db, id, nowS(clock))
  } catch (error) {
    logger.warn({ err: error, agentId: id }, 'failed to notify the league of a stopped agent')
  }
}
