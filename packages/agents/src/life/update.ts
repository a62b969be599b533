import { type Brain, fail, type ShieldPolicy } from '@pit/protocol'
import { activation, type Change, change, intervalAfterLast } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { DETACHED, endSigned, OTHER_BRAIN, OTHER_PAIRS } from '../signed/endSigned.ts'
import type { AgentPatch, StoredAgent } from '../store.ts'
import { checkInterval, checkLimits } from '../terms/limits.ts'
import { checkPractice } from '../terms/practice.ts'
import { type AgentPairs, readPairs } from '../terms/readPairs.ts'
import { checkTerms, normalTerms } from '../terms/riskTerms.ts'
import { steeringOf } from '../terms/steering.ts'
import type { AgentLimits, AgentTerms } from '../types.ts'
import { checkLiveOn, checkStillFits } from './live.ts'
import { listStale } from './stale.ts'

/** Absent fields stay unchanged. */
export interface UpdateRequest extends AgentRequest {
  name?: string | null
  brain?: Brain
  params?: Record<string, unknown>
  intervalS?: number
  pairs?: readonly string[]
  limits?: Partial<AgentLimits>
  acceptRisks?: readonly string[]
  shield?: boolean
  /** Null: the default policies if shielded. */
  policies?: readonly ShieldPolicy[] | null
  live?: boolean
  /** Names of all changed fields, for the log. */
  fields: readonly string[]
  /** Called before a new token is screened. */
  admit(): Promise<void>
}

export interface Updated {
  detail: AgentDetail
  /** Shown once, if the brain was changed to a webhook. */
  webhookSecret: string | null
}

export async function updateAgent(deps: HostedDeps, request: UpdateRequest): Promise<Updated> {
  const { admit } = request
  let pairs: AgentPairs | null = null
  let secret: string | null = null
  const agent = await change(deps, request, async (current) => {
    if (current.status === 'stopped') fail('STOPPED')
    if (request.live === true && current.mode === 'paper') fail('PAPER_AGENT')
    if (request.pairs && !pairs)
      pairs = await readPairs(deps, { pairs: request.pairs, mode: current.mode, admit })
    const brain = brainPatch(deps, current, request)
    // Only a real change: sending the same pairs again must not reset the brain's state.
    const isOtherMarket = pairs !== null && pairs.pairs.join() !== current.pairs.join()
    const patch: AgentPatch = {
      ...(request.name !== undefined && { name: request.name }),
      ...brain,
      ...intervalPatch(deps, current, request),
      ...pairs,
      ...((isOtherMarket || brain.brain) && { brainState: null }),
      ...(request.limits && { limits: checkLimits({ ...current.limits, ...request.limits }) }),
      ...termsPatch(current, request),
      ...livePatch(deps, current, request),
    }
    const steering = current.mode === 'live' ? steeringOf(current, { ...current, ...patch }) : []
    // With `live`, the change is checked against the attached session and rejected below.
    if (steering.length > 0 && request.live !== true) Object.assign(patch, switchedOff(current, steering))
    const next = { ...current, ...patch }
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
      const webhook = deps.brains.newWebhookSecret(current.id)
      secret = webhook.secret
      patch.webhookSecret = webhook.sealed
    }
    return {
      patch,
      log: steering.length > 0 ? detachedLog(current, request, steering) : logOf(request, patch),
      async also(sql) {
        // Check again inside the transaction: the agent may have joined the practice board since.
        if (mayUnfit) await checkPractice(deps, sql, next)
        const isOther = isOtherMarket || brain.brain !== undefined
        if (isOther || patch.sessionId === null)
          await endSigned(sql, current.id, endOf(patch), deps.clock.nowMs())
      },
    }
  })
  return { detail: await readDetail(deps, await listStale(deps, agent)), webhookSecret: secret }
}

const endOf = ({ brain, sessionId }: AgentPatch) =>
  sessionId === null ? DETACHED : brain === undefined ? OTHER_PAIRS : OTHER_BRAIN

/** Only sessions granted after this change can be attached. */
const switchedOff = (current: StoredAgent, fields: string[]): AgentPatch => ({
  live: false,
  sessionId: null,
  staleSessions: null,
  ...(current.status === 'active' && {
    status: 'paused',
    pauseReason: { code: 'CHANGED', fields },
    nextTickMs: null,
  }),
})

const refuseLiveWith = (fields: readonly string[]): never =>
  fail('NO_SESSION', {
    status: 409,
    message:
      `Changing ${fields.join(', ')} detaches the session: ` +
      'make the change first, then grant, sign and attach a new session, then switch live on.',
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
      `The owner changed ${fields}; the agent is off.${detached} ` +
      `Only a session granted to ${executor} after this change can be attached.`,
    data: { session_id: sessionId, fields: steering },
  }
}

/** Another brain starts with an empty state; only webhooks have a secret. */
function brainPatch(
  { brains }: HostedDeps,
  current: StoredAgent,
  { brain, params, intervalS: newIntervalS }: UpdateRequest,
): Pick<AgentPatch, 'brain' | 'params' | 'webhookSecret'> {
  if (brain === undefined && params === undefined && newIntervalS === undefined) return {}
  const next = brain ?? current.brain
  const other = next !== current.brain
  const intervalS = newIntervalS ?? current.intervalS
  checkInterval(next, intervalS)
  const read = brains.readParams(next, params ?? (other ? {} : current.params), {
    intervalS,
    mode: current.mode,
  })
  return { params: read, ...(other && { brain: next, webhookSecret: null }) }
}

/**
 * A new interval takes effect immediately, as the next tick may be days away. A model is called one full
 * interval after the last tick, in any change of interval or brain: otherwise switching back and forth would
 * call it at a faster brain's ticks, or make the pool pay for extra ticks.
 */
function intervalPatch(
  { clock }: HostedDeps,
  current: StoredAgent,
  { intervalS: newIntervalS, brain }: UpdateRequest,
): AgentPatch {
  const nowMs = clock.nowMs()
  const intervalS = newIntervalS ?? current.intervalS
  const patch = newIntervalS === undefined ? {} : { intervalS }
  if (current.status !== 'active') return patch
  const next = brain ?? current.brain
  if (next === 'partner_llm' && (newIntervalS !== undefined || next !== current.brain)) {
    return { ...patch, nextTickMs: intervalAfterLast({ ...current, intervalS }, nowMs) }
  }
  const soonest = nowMs + intervalS * 1_000
  const sooner = newIntervalS !== undefined && (current.nextTickMs === null || current.nextTickMs > soonest)
  return sooner ? { ...patch, nextTickMs: soonest } : patch
}

function termsPatch(current: StoredAgent, request: UpdateRequest): { terms?: AgentTerms } {
  const { acceptRisks = current.terms.acceptRisks, shield = current.terms.shield } = request
  if (request.acceptRisks === undefined && request.shield === undefined && request.policies === undefined)
    return {}
  // Without shield its policies are dropped too, unless they are set explicitly.
  const currentPolicies = shield ? current.terms.policies : null
  const policies = request.policies === undefined ? currentPolicies : request.policies
  return { terms: normalTerms({ acceptRisks, shield, policies }) }
}

/** Switching live on activates an agent that was waiting for it; one paused by its owner stays paused. */
function livePatch({ clock }: HostedDeps, current: StoredAgent, { live }: UpdateRequest): AgentPatch {
  if (live === undefined) return {}
  const waits = live && current.status === 'paused' && current.pauseReason?.code !== 'OWNER'
  return { ...(live !== current.live && { live }), ...(waits && activation(current, clock.nowMs())) }
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
