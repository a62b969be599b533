import type { Call } from '@pit/platform/call'
import { type Answer, fail } from '@pit/protocol'
import { activation, type Change, change, intervalAfterLast } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { findOwned } from '../findOwned.ts'
import { readDetail } from '../show/readDetail.ts'
import type { AgentPatch, StoredAgent } from '../store.ts'
import { checkInterval } from '../terms/interval.ts'
import { limitsJson, readLimits } from '../terms/limits.ts'
import { checkPractice } from '../terms/practice.ts'
import { type AgentPairs, readPairs } from '../terms/readPairs.ts'
import { checkTerms, readTerms } from '../terms/riskTerms.ts'
import type { AgentTerms } from '../types.ts'
import { checkLiveOn, checkStillFits } from './live.ts'

type Body = Call<'hosted.update'>['body']

/** hosted/<id>/update: what is not named stays as it is. */
export async function updateAgent(
  deps: HostedDeps,
  { params, body, caller }: Call<'hosted.update'>,
): Promise<Answer<'hosted.update'>> {
  const admit = () => deps.charge(caller, ['screen.caller', 'screen.overall'])
  let pairs: AgentPairs | null = null
  let secret: string | null = null
  const agent = await change(
    deps,
    () => findOwned(deps, caller, params.id),
    async (found) => {
      if (found.status === 'stopped') fail('STOPPED')
      if (body.live === true && found.mode === 'paper') fail('PAPER_AGENT')
      if (body.pairs && !pairs) pairs = await readPairs(deps, { pairs: body.pairs, mode: found.mode, admit })
      const brain = brainPatch(deps, found, body)
      const patch: AgentPatch = {
        ...(body.name !== undefined && { name: body.name }),
        ...brain,
        ...intervalPatch(deps, found, body),
        ...pairs,
        ...((pairs || brain.brain) && { brainState: null }),
        ...(body.limits && { limits: readLimits({ ...limitsJson(found.limits), ...body.limits }) }),
        ...termsPatch(found, body),
        ...livePatch(deps, found, body),
      }
      const next = { ...found, ...patch }
      if (pairs || brain.params) deps.brains.checkPairs(next.brain, next.params, next.pairs)
      const mayUnfit = pairs !== null || body.interval_s !== undefined
      if (mayUnfit) await checkPractice(deps, deps.db, next)
      if (body.live === true) await checkLiveOn(deps, next)
      else if (pairs || body.limits || patch.terms) await checkStillFits(deps, next)
      if (patch.terms || body.live === true) checkTerms(next.terms)
      if (Object.keys(patch).length === 0) return null
      secret = null
      if (brain.brain === 'webhook') {
        const made = deps.brains.newWebhookSecret(found.id)
        secret = made.secret
        patch.webhookSecret = made.sealed
      }
      return {
        patch,
        log: logOf(body, patch),
        // Again once nobody else can: it may have entered the practice board since.
        ...(mayUnfit && { also: (sql) => checkPractice(deps, sql, next) }),
      }
    },
  )
  return { ...(await readDetail(deps, agent)), ...(secret !== null && { webhook_secret: secret }) }
}

/** Another brain starts with nothing in mind, and only a webhook has a secret. */
function brainPatch(
  { brains }: HostedDeps,
  found: StoredAgent,
  { brain, params, interval_s }: Body,
): Pick<AgentPatch, 'brain' | 'params' | 'webhookSecret'> {
  if (brain === undefined && params === undefined && interval_s === undefined) return {}
  const next = brain ?? found.brain
  const other = next !== found.brain
  const intervalS = interval_s ?? found.intervalS
  checkInterval(next, intervalS)
  const read = brains.readParams(next, params ?? (other ? {} : found.params), { intervalS, mode: found.mode })
  return { params: read, ...(other && { brain: next, webhookSecret: null }) }
}

/**
 * Another interval counts at once: the next tick may be days away. A model is asked an interval after the last tick,
 * whichever way the interval changes or the agent becomes a model's: who changes to and fro would have it asked at
 * every tick of a faster brain, or have the pool pay for more ticks than it does.
 */
function intervalPatch({ clock }: HostedDeps, found: StoredAgent, { interval_s, brain }: Body): AgentPatch {
  const nowMs = clock.nowMs()
  const intervalS = interval_s ?? found.intervalS
  const patch = interval_s === undefined ? {} : { intervalS }
  if (found.status !== 'active') return patch
  const next = brain ?? found.brain
  if (next === 'partner_llm' && (interval_s !== undefined || next !== found.brain)) {
    return { ...patch, nextTickMs: intervalAfterLast({ ...found, intervalS }, nowMs) }
  }
  const soonest = nowMs + intervalS * 1_000
  const sooner = interval_s !== undefined && (found.nextTickMs === null || found.nextTickMs > soonest)
  return sooner ? { ...patch, nextTickMs: soonest } : patch
}

function termsPatch(found: StoredAgent, body: Body): { terms?: AgentTerms } {
  const { accept_risks, shield = found.terms.shield, policies } = body
  if (accept_risks === undefined && body.shield === undefined && policies === undefined) return {}
  // Without shield its policies go too, unless they are asked for by name.
  const kept = shield ? (found.terms.policies ?? undefined) : undefined
  const terms = { accept_risks: accept_risks ?? found.terms.acceptRisks, shield, policies: policies ?? kept }
  return { terms: readTerms(terms) }
}

/** Live on lets an agent run that waited for it; one that its owner paused waits for its owner. */
function livePatch({ clock }: HostedDeps, found: StoredAgent, { live }: Body): AgentPatch {
  if (live === undefined) return {}
  const waits = live && found.status === 'paused' && found.pauseReason?.code !== 'OWNER'
  return { ...(live !== found.live && { live }), ...(waits && activation(found, clock.nowMs())) }
}

function logOf(body: Body, patch: AgentPatch): NonNullable<Change['log']> {
  const fields = Object.keys(body).filter((field) => field !== 'live')
  const switched = patch.live ?? (patch.status === 'active' || undefined)
  const said = [
    ...(fields.length > 0 ? [`changed ${fields.join(', ')}`] : []),
    ...(switched === undefined ? [] : [switched ? 'switched live on' : 'switched live off']),
  ]
  const code = switched === undefined ? 'UPDATED' : switched ? 'LIVE_ON' : 'LIVE_OFF'
  return { kind: 'state', code, message: `The owner ${said.join(' and ')}.` }
}
