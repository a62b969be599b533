import { fail } from '@pit/protocol'
import { type Change, change, type Detached, detachedBy } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { endSigned, OTHER_BRAIN, OTHER_PAIRS } from '../signed/endSigned.ts'
import type { AgentPatch } from '../store.ts'
import { checkPractice } from '../terms/practice.ts'
import { type AgentPairs, readPairs } from '../terms/readPairs.ts'
import { checkTerms } from '../terms/riskTerms.ts'
import { steeringOf } from '../terms/steering.ts'
import { refuseSession } from './attach.ts'
import { checkLiveOn, checkStillFits } from './live.ts'
import { listStale } from './stale.ts'
import { isOtherMarket, type UpdateRequest, updatePatch } from './updatePatch.ts'

export interface Updated {
  detail: AgentDetail
  /** Shown once, if the brain was changed to a webhook. */
  webhookSecret: string | null
  /** Null if the session, if any, stays attached. */
  detached: Detached | null
}

export async function updateAgent(deps: HostedDeps, request: UpdateRequest): Promise<Updated> {
  let pairs: AgentPairs | null = null
  let webhookSecret: string | null = null
  let detached: Detached | null = null
  const agent = await change(deps, request, async (current) => {
    if (current.status === 'stopped') fail('STOPPED')
    if (request.live === true && current.mode === 'paper') fail('PAPER_AGENT')
    if (request.pairs)
      pairs ??= await readPairs(deps, { pairs: request.pairs, mode: current.mode, admit: request.admit })
    const patch = updatePatch(deps, current, request, pairs)
    const next = { ...current, ...patch }
    const steering = steeringOf(current, patch)
    if (pairs || patch.params) deps.brains.checkPairs(next.brain, next.params, next.pairs)
    const mayLeavePractice = pairs !== null || request.intervalS !== undefined
    if (mayLeavePractice) await checkPractice(deps, deps.db, next)
    if (request.live === true) await checkLiveOn(deps, next)
    else if (pairs || request.limits || patch.terms) await checkStillFits(deps, next)
    if (patch.terms || request.live === true) checkTerms(next.terms)
    if (request.live === true) refuseLiveWith(steering)
    if (Object.keys(patch).length === 0) return null
    webhookSecret = null
    if (patch.brain === 'webhook') {
      const webhook = deps.brains.newWebhookSecret(current.id)
      webhookSecret = webhook.secret
      patch.webhookSecret = webhook.sealed
    }
    detached = detachedBy(current, steering)
    return {
      patch,
      log: logOf(request, patch),
      async also(sql) {
        // Check again inside the transaction: the agent may have joined the practice board since.
        if (mayLeavePractice) await checkPractice(deps, sql, next)
        if (patch.brain === undefined && !isOtherMarket(current, pairs)) return
        const end = patch.brain === undefined ? OTHER_PAIRS : OTHER_BRAIN
        await endSigned(sql, current.id, end, deps.clock.nowMs())
      },
    }
  })
  return { detail: await readDetail(deps, await listStale(deps, agent)), webhookSecret, detached }
}

/** The attached session fits the changed agent, but its owner signed it for the earlier settings. */
function refuseLiveWith(steering: readonly string[]): void {
  if (steering.length === 0) return
  refuseSession([
    {
      rule: 'granted',
      message:
        `a change of ${steering.join(', ')} detaches the attached session: make it without switching live on, ` +
        'then grant and attach a new session, then switch live on',
    },
  ])
}

function logOf(request: UpdateRequest, patch: AgentPatch): NonNullable<Change['log']> {
  const fields = request.fields.filter((field) => field !== 'live')
  const switched = patch.live ?? (patch.status === 'active' || undefined)
  const changes = [
    ...(fields.length > 0 ? [`changed ${fields.join(', ')}`] : []),
    ...(switched === undefined ? [] : [switched ? 'switched it on' : 'switched it off']),
  ]
  const code = switched === undefined ? 'UPDATED' : switched ? 'LIVE_ON' : 'LIVE_OFF'
  return { kind: 'state', code, message: `The owner ${changes.join(' and ')}.` }
}
