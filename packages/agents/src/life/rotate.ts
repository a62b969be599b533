import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail } from '@pit/protocol'
import { change } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { addExecutor, executorsOf, retireExecutor } from '../executors.ts'
import { findOwned } from '../findOwned.ts'
import { readDetail } from '../show/readDetail.ts'
import { newExecutor } from '../signer.ts'
import type { StoredAgent } from '../store.ts'
import { endSessions } from './endSessions.ts'

/**
 * hosted/<id>/rotate-executor: another key from now on. The agent lets go of its session first, whatever becomes of the
 * rest: what was granted to the old key is revoked here.
 */
export async function rotateExecutor(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.rotate_executor'>,
): Promise<Answer<'hosted.rotate_executor'>> {
  const find = () => findOwned(deps, caller, params.id)
  const before = await find()
  refuseRotation(before)
  const attested = await newExecutor(deps, 'hosted.rotate_executor', {
    agentId: before.id,
    owner: before.wallet,
  })
  let retired = before
  const agent = await change(deps, find, (found) => {
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
  const session_revoke = await endSessions(deps, retired, { executors, keyId: caller.key!.keyId })
  return { ...(await readDetail(deps, agent)), retired_executor: retired.executor!, session_revoke }
}

function refuseRotation({ mode, status }: StoredAgent): void {
  if (mode === 'paper') fail('PAPER_AGENT')
  if (status === 'stopped') fail('STOPPED')
}

/** hosted/<id>/rotate-webhook-secret: the old one stops at once. */
export async function rotateWebhookSecret(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.rotate_webhook_secret'>,
): Promise<Answer<'hosted.rotate_webhook_secret'>> {
  let secret = ''
  const { id } = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    (found) => {
      if (found.brain !== 'webhook') fail('NOT_WEBHOOK')
      const made = deps.brains.newWebhookSecret(found.id)
      secret = made.secret
      return {
        patch: { webhookSecret: made.sealed },
        log: { kind: 'state', code: 'SECRET_ROTATED', message: 'The webhook secret was replaced.' },
      }
    },
  )
  return { id, webhook_secret: secret }
}
