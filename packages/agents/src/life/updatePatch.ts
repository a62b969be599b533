import type { Brain, ShieldPolicy } from '@pit/protocol'
import { activation, intervalAfterLast } from '../change.ts'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import type { AgentPatch, StoredAgent } from '../store.ts'
import { checkInterval, checkLimits } from '../terms/limits.ts'
import type { AgentPairs } from '../terms/readPairs.ts'
import { normalTerms } from '../terms/riskTerms.ts'
import type { AgentLimits, AgentTerms } from '../types.ts'

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

type Deps = Pick<HostedDeps, 'brains' | 'clock'>

/** The changed fields of an update, before they are checked against session and league. */
export function updatePatch(
  deps: Deps,
  current: StoredAgent,
  request: UpdateRequest,
  pairs: AgentPairs | null,
): AgentPatch {
  const brain = brainPatch(deps, current, request)
  return {
    ...(request.name !== undefined && { name: request.name?.normalize('NFC') ?? null }),
    ...brain,
    ...intervalPatch(deps, current, request),
    ...pairs,
    ...((isOtherMarket(current, pairs) || brain.brain) && { brainState: null }),
    ...(request.limits && { limits: checkLimits({ ...current.limits, ...request.limits }) }),
    ...termsPatch(current, request),
    ...livePatch(deps, current, request),
  }
}

/** Only a real change: sending the same pairs again must not reset the brain's state. */
export const isOtherMarket = (current: StoredAgent, pairs: AgentPairs | null): boolean =>
  pairs !== null && pairs.pairs.join() !== current.pairs.join()

/** Another brain starts with an empty state; only webhooks have a secret. */
function brainPatch(
  { brains }: Deps,
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
  { clock }: Deps,
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
function livePatch({ clock }: Deps, current: StoredAgent, { live }: UpdateRequest): AgentPatch {
  if (live === undefined) return {}
  const waits = live && current.status === 'paused' && current.pauseReason?.code !== 'OWNER'
  return { ...(live !== current.live && { live }), ...(waits && activation(current, clock.nowMs())) }
}
