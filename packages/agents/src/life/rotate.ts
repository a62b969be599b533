import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import type { Revoked } from '@pit/sessions'
import { change, type Detached, detachedBy } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { addExecutor, executorsOf, retireExecutor } from '../executors.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { DETACHED, endSigned } from '../signed/endSigned.ts'
import { newExecutor } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { steeringOf } from '../terms/steering.ts'
import { endSessions } from './endSessions.ts'
import { listStale } from './stale.ts'

/**
 * Replaces the executor. The session is detached first, even if a later step fails; grants to the old
 * executor are revoked here.
 */
export async function rotateExecutor(
  deps: HostedDeps,
  request: AgentRequest,
): Promise<{ detail: AgentDetail; retired: Address; revoked: Revoked[] }> {
  const before = await findOwned(deps.db, request)
  refuseRotation(before)
  const newKey = await newExecutor(deps, 'hosted.rotate_executor', {
    agentId: before.id,
    owner: before.wallet,
  })
  let retired = before
  const agent = await change(deps, request, (current) => {
    refuseRotation(current)
    retired = current
    const atS = nowS(deps.clock)
    return {
      patch: {
        executor: newKey.executor,
        executorAttestation: newKey.attestation,
        sessionId: null,
        live: false,
        status: 'paused',
        pauseReason: { code: 'ROTATED' },
        nextTickMs: null,
      },
      log: {
        kind: 'session',
        code: 'ROTATED',
        message: `The new executor is ${newKey.executor}. Grant a session to it and attach it.`,
        data: { executor: newKey.executor, retired: current.executor, session_id: current.sessionId },
      },
      async also(sql) {
        await retireExecutor(sql, current.executor!, atS)
        await addExecutor(sql, newKey, atS)
        await endSigned(sql, current.id, DETACHED, deps.clock.nowMs())
      },
    }
  })
  // All executors except the new one: an earlier rotation may have been interrupted.
  const executors = (await executorsOf(deps.db, agent.id))
    .map(({ executor }) => executor)
    .filter((executor) => executor !== agent.executor)
  const revoked = await endSessions(deps, retired, { executors, keyId: request.by.keyId })
  return { detail: await readDetail(deps, agent), retired: retired.executor!, revoked }
}

function refuseRotation({ mode, status }: StoredAgent): void {
  if (mode === 'paper') fail('PAPER_AGENT')
  if (status === 'stopped') fail('STOPPED')
}

/**
 * The old secret stops working immediately; the new one is shown once. It steers a live agent: a webhook trusts
 * what it signs.
 */
export async function rotateWebhookSecret(
  deps: HostedDeps,
  request: AgentRequest,
): Promise<{ secret: string; detached: Detached | null }> {
  let secret = ''
  let detached: Detached | null = null
  const agent = await change(deps, request, (current) => {
    if (current.brain !== 'webhook') fail('NOT_WEBHOOK')
    const webhook = deps.brains.newWebhookSecret(current.id)
    const patch = { webhookSecret: webhook.sealed }
    secret = webhook.secret
    detached = detachedBy(current, steeringOf(current, patch))
    return {
      patch,
      log: { kind: 'state', code: 'SECRET_ROTATED', message: 'The webhook secret was replaced.' },
    }
  })
  await listStale(deps, agent)
  return { secret, detached }
}
