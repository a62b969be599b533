import { DAY_S, HOSTED } from '@pit/protocol'
import type { ModelAgent } from '../agent.ts'
import type { GatewayModel } from '../model/modelList.ts'

/** The operator's settings, in micro-dollars. */
export interface PoolTerms {
  /** False if the service has no own key. */
  on: boolean
  dayMicroUsd: bigint
  /** Percentage of the day reserved for owners whose agents trade live. */
  livePct: number
  liveShareMicroUsd: bigint
  trialShareMicroUsd: bigint
  trialDays: number
  /** Whether an owner without a trial may start one. */
  trialsOpen: boolean
  /** New trials per day, in total and per client network. */
  trialsPerDay: number
  trialsPerNetwork: number
  /** Mined volume of 30 days required for the live share. */
  liveMinMicroUsd: bigint
  /** Highest output price of a cheap model, in dollars per million tokens. */
  modelMaxOutputUsd: number
  /** Daily maximum charged to an owner's own key. */
  ownDayMicroUsd: bigint
}

/** Today's facts of an owner and an agent, from the store. */
export interface SpendFacts {
  trialStartedAtS: number | null
  /** Trials started today, in total and from the agent's network. */
  trialsToday: number
  trialsFromNetwork: number
  /** Volume of the last 30 days. */
  volumeMicroUsd: bigint
  paidFees: boolean
  agentUsedMicroUsd: bigint
  ownerPoolUsedMicroUsd: bigint
  ownerOwnUsedMicroUsd: bigint
  poolUsedMicroUsd: bigint
  trialsUsedMicroUsd: bigint
  /** Another agent of the same owner that the pool paid for today. */
  otherPoolAgent: string | null
}

export const dayOf = (atS: number): number => atS - (atS % DAY_S)
export const VOLUME_WINDOW_S = 30 * DAY_S

export const isCheap = (model: GatewayModel, terms: PoolTerms): boolean =>
  model.structured && model.outputUsd <= terms.modelMaxOutputUsd && model.inputUsd <= terms.modelMaxOutputUsd

export type PoolStanding =
  | { eligible: true; kind: 'live' | 'trial'; shareMicroUsd: bigint }
  | { eligible: false; code: PoolHold; shareMicroUsd: bigint }
export type PoolHold =
  | 'AI_POOL_OFF'
  | 'AI_POOL_MODEL'
  | 'AI_POOL_INTERVAL'
  | 'AI_NOT_LIVE'
  | 'AI_NOT_ELIGIBLE'
  | 'POOL_NOT_LIVE'
  | 'POOL_AGENT'

/** Part of a day's pool available to all trials together. */
export const trialPoolOf = ({ dayMicroUsd, livePct }: PoolTerms): bigint =>
  dayMicroUsd - (dayMicroUsd * BigInt(livePct)) / 100n

export const mayBeginTrial = (
  { trialsToday, trialsFromNetwork }: Pick<SpendFacts, 'trialsToday' | 'trialsFromNetwork'>,
  terms: PoolTerms,
): boolean =>
  terms.trialsOpen && trialsToday < terms.trialsPerDay && trialsFromNetwork < terms.trialsPerNetwork

export const trialEndsS = (startedAtS: number, terms: PoolTerms): number =>
  startedAtS + terms.trialDays * DAY_S

/**
 * Whether the pool pays for an agent at all, regardless of what is left. An owner whose wallet trades here
 * has the live share for live agents; all others have the trial share, for a limited number of days and one
 * agent a day.
 */
export function poolStanding(
  agent: Pick<ModelAgent, 'mode' | 'live' | 'intervalS'>,
  model: GatewayModel | null,
  facts: SpendFacts,
  terms: PoolTerms,
  atS: number,
): PoolStanding {
  const no = (code: PoolHold): PoolStanding => ({ eligible: false, code, shareMicroUsd: 0n })
  if (!terms.on || terms.dayMicroUsd === 0n) return no('AI_POOL_OFF')
  if (model !== null && !isCheap(model, terms)) return no('AI_POOL_MODEL')
  if (agent.intervalS < HOSTED.aiPoolIntervalS) return no('AI_POOL_INTERVAL')

  const isLive = agent.mode === 'live' && agent.live
  const trades = facts.paidFees && facts.volumeMicroUsd >= terms.liveMinMicroUsd
  if (isLive && trades) return { eligible: true, kind: 'live', shareMicroUsd: terms.liveShareMicroUsd }
  const onTrial =
    facts.trialStartedAtS === null
      ? mayBeginTrial(facts, terms)
      : atS < trialEndsS(facts.trialStartedAtS, terms)
  if (onTrial) {
    const standing = { shareMicroUsd: terms.trialShareMicroUsd }
    return facts.otherPoolAgent === null
      ? { eligible: true, kind: 'trial', ...standing }
      : { eligible: false, code: 'POOL_AGENT', ...standing }
  }
  if (isLive) return no('AI_NOT_LIVE')
  return no(trades || agent.mode === 'live' ? 'POOL_NOT_LIVE' : 'AI_NOT_ELIGIBLE')
}

export type FundingHold = PoolHold | 'AI_BUDGET' | 'AI_SHARE_SPENT' | 'AI_POOL_SPENT' | 'OWN_DAY_CAP'

export interface FundingRequest {
  source: 'pool' | 'own'
  boundMicroUsd: bigint
  budgetMicroUsd: bigint
}

/** Why a call with this worst case may not be made now; undefined if it may. */
export function fundingHold(
  request: FundingRequest,
  standing: PoolStanding,
  facts: SpendFacts,
  terms: PoolTerms,
): FundingHold | undefined {
  const { source, boundMicroUsd: bound } = request
  if (source === 'pool' && !standing.eligible) return standing.code
  if (facts.agentUsedMicroUsd + bound > request.budgetMicroUsd) return 'AI_BUDGET'
  if (source === 'own') {
    return facts.ownerOwnUsedMicroUsd + bound > terms.ownDayMicroUsd ? 'OWN_DAY_CAP' : undefined
  }
  if (facts.ownerPoolUsedMicroUsd + bound > standing.shareMicroUsd) return 'AI_SHARE_SPENT'
  const forTrials = standing.eligible && standing.kind === 'trial'
  if (forTrials && facts.trialsUsedMicroUsd + bound > trialPoolOf(terms)) return 'AI_POOL_SPENT'
  return facts.poolUsedMicroUsd + bound > terms.dayMicroUsd ? 'AI_POOL_SPENT' : undefined
}
