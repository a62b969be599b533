import { type Brain, fail, type ShieldPolicy } from '@pit/protocol'
import { activation, type Change, change, intervalAfterLast } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import type { AgentPatch, StoredAgent } from '../store.ts'
import { checkInterval, checkLimits } from '../terms/limits.ts'
import { checkPractice } from '../terms/practice.ts'
import { type AgentPairs, readPairs } from '../terms/readPairs.ts'
import { checkTerms, normalTerms } from '../terms/riskTerms.ts'
import { steeringOf } from '../terms/steering.ts'
import type { AgentLimits, AgentTerms } from '../types.ts'
import { checkLiveOn, checkStillFits } from './live.ts'
import { listStale } from './stale.ts'

/** What is not named stays as it is. */
export interface UpdateRequest extends AgentRequest {
  name?: string | null
  brain?: Brain
  params?: Record<string, unknown>
  intervalS?: number
  pairs?: readonly string[]
  limits?: Partial<AgentLimits>
  acceptRisks?: readonly string[]
  shield?: boolean
  /** Null: the default ones with shield. */
  policies?: readonly ShieldPolicy[] | null
  live?: boolean
  /** The owner's names of all that is to change, for the log. */
  fields: readonly string[]
  /** Before a token not seen before is screened. */
  admit(): Promise<void>
}

export interface Updated {
  detail: AgentDetail
  /** Shown once, when the agent has become a webhook's. */
  webhookSecret: string | null
}

export async function updateAgent(deps: HostedDeps, request: UpdateRequest): Promise<Updated> {
  const { admit } = request
  let pairs: AgentPairs | null = null
  let secret: string | null = null
  const agent = await change(deps, request, async (found) => {
    if (found.status === 'stopped') fail('STOPPED')
    if (request.live === true && found.mode === 'paper') fail('PAPER_AGENT')
    if (request.pairs && !pairs)
      pairs = await readPairs(deps, { pairs: request.pairs, mode: found.mode, admit })
    const brain = brainPatch(deps, found, request)
    // Only a real change: naming the same pairs again must not restart what the brain has counted.
    const isOtherMarket = pairs !== null && pairs.pairs.join() !== found.pairs.join()
    const patch: AgentPatch = {
      ...(request.name !== undefined && { name: request.name }),
      ...brain,
      ...intervalPatch(deps, found, request),
      ...pairs,
      ...((isOtherMarket || brain.brain) && { brainState: null }),
      ...(request.limits && { limits: checkLimits({ ...found.limits, ...request.limits }) }),
      ...termsPatch(found, request),
      ...livePatch(deps, found, request),
    }
    const steering = found.mode === 'live' ? steeringOf(found, { ...found, ...patch }) : []
    // With `live` the change is judged against the session that is attached now, and refused below.
    if (steering.length > 0 && request.live !== true) Object.assign(patch, switchedOff(found, steering))
    const next = { ...found, ...patch }
    if (pairs || brain.params) deps.brains.checkPairs(next.brain, next.params, next.pairs)
    const mayUnfit = pairs !== null || request.intervalS !== undefined
    if (mayUnfit) await checkPractice(deps, deps.db, next)
    if (request.live === true) await checkLiveOn(deps, next)
    else if (pairs || request.limits || patch.terms) await checkStillFits(deps, next)
    if (patch.terms || request.live === true) checkTerms(next.terms)
    if (steering.length > 0 && request.live === true) refuseLiveWith(steering)
    if (Object.keys(patch).length === 0) return null
    secret = null
    if (brain.brain === 'webhook') {
      const made = deps.brains.newWebhookSecret(found.id)
      secret = made.secret
      patch.webhookSecret = made.sealed
    }
    return {
      patch,
      log: steering.length > 0 ? detachedLog(found, request, steering) : logOf(request, patch),
      // Again once nobody else can: it may have entered the practice board since.
      ...(mayUnfit && { also: (sql) => checkPractice(deps, sql, next) }),
    }
  })
  return { detail: await readDetail(deps, await listStale(deps, agent)), webhookSecret: secret }
}

/** Whatever session is granted after this is for the agent as it is then. */
const switchedOff = (found: StoredAgent, fields: string[]): AgentPatch => ({
  live: false,
  sessionId: null,
  staleSessions: null,
  ...(found.status === 'active' && {
    status: 'paused',
    pauseReason: { code: 'CHANGED', fields },
    nextTickMs: null,
  }),
})

const refuseLiveWith = (fields: readonly string[]): never =>
  fail('NO_SESSION', {
    status: 409,
    message:
      `A change of ${fields.join(', ')} detaches the session: ` +
      'make it first, then grant, sign and attach a new session, then switch live on.',
  })

function detachedLog(
  { sessionId, executor }: StoredAgent,
  request: UpdateRequest,
  steering: readonly string[],
): NonNullable<Change['log']> {
  const fields = request.fields.filter((field) => field !== 'live').join(', ')
  const detached = sessionId === null ? '' : ` Session ${sessionId} is detached.`
  return {
    kind: 'session',
    code: 'DETACHED',
    message:
      `The owner changed ${fields}: the agent is off.${detached} ` +
      `Only a session granted to ${executor} after this change can be attached.`,
    data: { session_id: sessionId, fields: steering },
  }
}

/** Another brain starts with nothing in mind, and only a webhook has a secret. */
function brainPatch(
  { brains }: HostedDeps,
  found: StoredAgent,
  { brain, params, intervalS: asked }: UpdateRequest,
): Pick<AgentPatch, 'brain' | 'params' | 'webhookSecret'> {
  if (brain === undefined && params === undefined && asked === undefined) return {}
  const next = brain ?? found.brain
  const other = next !== found.brain
  const intervalS = asked ?? found.intervalS
  checkInterval(next, intervalS)
  const read = brains.readParams(next, params ?? (other ? {} : found.params), { intervalS, mode: found.mode })
  return { params: read, ...(other && { brain: next, webhookSecret: null }) }
}

/**
 * Another interval counts at once: the next tick may be days away. A model is asked an interval after the
 * last tick, whichever way the interval changes or the agent becomes a model's: who changes to and fro would
 * have it asked at every tick of a faster brain, or have the pool pay for more ticks than it does.
 */
function intervalPatch(
  { clock }: HostedDeps,
  found: StoredAgent,
  { intervalS: asked, brain }: UpdateRequest,
): AgentPatch {
  const nowMs = clock.nowMs()
  const intervalS = asked ?? found.intervalS
  const patch = asked === undefined ? {} : { intervalS }
  if (found.status !== 'active') return patch
  const next = brain ?? found.brain
  if (next === 'partner_llm' && (asked !== undefined || next !== found.brain)) {
    return { ...patch, nextTickMs: intervalAfterLast({ ...found, intervalS }, nowMs) }
  }
  const soonest = nowMs + intervalS * 1_000
  const sooner = asked !== undefined && (found.nextTickMs === null || found.nextTickMs > soonest)
  return sooner ? { ...patch, nextTickMs: soonest } : patch
}

function termsPatch(found: StoredAgent, request: UpdateRequest): { terms?: AgentTerms } {
  const { acceptRisks = found.terms.acceptRisks, shield = found.terms.shield } = request
  if (request.acceptRisks === undefined && request.shield === undefined && request.policies === undefined)
    return {}
  // Without shield its policies go too, unless they are asked for by name.
  const kept = shield ? found.terms.policies : null
  const policies = request.policies === undefined ? kept : request.policies
  return { terms: normalTerms({ acceptRisks, shield, policies }) }
}

/** Live on lets an agent run that waited for it; one that its owner paused waits for its owner. */
function livePatch({ clock }: HostedDeps, found: StoredAgent, { live }: UpdateRequest): AgentPatch {
  if (live === undefined) return {}
  const waits = live && found.status === 'paused' && found.pauseReason?.code !== 'OWNER'
  return { ...(live !== found.live && { live }), ...(waits && activation(found, clock.nowMs())) }
}

function logOf(request: UpdateRequest, patch: AgentPatch): NonNullable<Change['log']> {
  const fields = request.fields.filter((field) => field !== 'live')
  const switched = patch.live ?? (patch.status === 'active' || undefined)
  const said = [
    ...(fields.length > 0 ? [`changed ${fields.join(', ')}`] : []),
    ...(switched === undefined ? [] : [switched ? 'switched live on' : 'switched live off']),
  ]
  const code = switched === undefined ? 'UPDATED' : switched ? 'LIVE_ON' : 'LIVE_OFF'
  return { kind: 'state', code, message: `The owner ${said.join(' and ')}.` }
}
