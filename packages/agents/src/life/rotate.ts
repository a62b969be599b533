import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import type { Revoked } from '@pit/sessions'
import { change } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { addExecutor, executorsOf, retireExecutor } from '../executors.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { newExecutor } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { endSessions } from './endSessions.ts'

/**
 * Another key from now on. The agent lets go of its session first, whatever becomes of the rest: what was
 * granted to the old key is revoked here.
 */
export async function rotateExecutor(
  deps: HostedDeps,
  request: AgentRequest,
): Promise<{ detail: AgentDetail; retired: Address; revoked: Revoked[] | null }> {
  const before = await findOwned(deps.db, request)
  refuseRotation(before)
  const attested = await newExecutor(deps, 'hosted.rotate_executor', {
    agentId: before.id,
    owner: before.wallet,
  })
  let retired = before
  const agent = await change(deps, request, (found) => {
    refuseRotation(found)
    retired = found
    const atS = nowS(deps.clock)
    return {
      patch: {
        executor: attested.executor,
        executorAttestation: attested.attestation,
        sessionId: null,
        live: false,
        status: 'paused',
        pauseReason: { code: 'ROTATED' },
        nextTickMs: null,
      },
      log: {
        kind: 'session',
        code: 'ROTATED',
        message: `The executor is ${attested.executor} now: grant it a session and attach that.`,
        data: { executor: attested.executor, retired: found.executor, session_id: found.sessionId },
      },
      async also(sql) {
        await retireExecutor(sql, found.executor!, atS)
        await addExecutor(sql, attested, atS)
      },
    }
  })
  // Of all it ever had but the new one: an earlier rotation may have been cut short.
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

/** The old one stops at once; the new one is shown once. */
export async function rotateWebhookSecret(deps: HostedDeps, request: AgentRequest): Promise<string> {
  let secret = ''
  await change(deps, request, (found) => {
    if (found.brain !== 'webhook') fail('NOT_WEBHOOK')
    const made = deps.brains.newWebhookSecret(found.id)
    secret = made.secret
    return {
      patch: { webhookSecret: made.sealed },
      log: { kind: 'state', code: 'SECRET_ROTATED', message: 'The webhook secret was replaced.' },
    }
  })
  return secret
}
