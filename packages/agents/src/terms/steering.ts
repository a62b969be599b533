import type { AgentLimits, HostedAgent } from '../types.ts'
import { steeringParams } from './freeParams.ts'
import { policiesOf } from './riskTerms.ts'

type Steered = Pick<HostedAgent, 'brain' | 'params' | 'intervalS' | 'pairs' | 'limits' | 'terms'>

/**
 * Changed fields that affect what an agent trades, when, or how much more. The owner signed for the earlier
 * settings; an API key alone must not change these.
 */
export function steeringOf(before: Steered, after: Steered): string[] {
  const [old, now] = [before.terms, after.terms]
  // Accepted risks and dropped policies are limits too.
  const changes: Record<string, boolean> = {
    brain: after.brain !== before.brain,
    interval_s: after.intervalS < before.intervalS,
    pairs: after.pairs.join() !== before.pairs.join(),
    limits: isWider(before.limits, after.limits),
    accept_risks: lacks(old.acceptRisks, now.acceptRisks),
    shield: old.shield && !now.shield,
    policies: now.shield && lacks(policiesOf(now), policiesOf(old)),
  }
  // A change of `brain` covers its params.
  const params = changes['brain'] ? [] : steeringParams(after.brain, before.params, after.params)
  return [...Object.keys(changes).filter((field) => changes[field]), ...params]
}

const isWider = (before: AgentLimits, after: AgentLimits): boolean =>
  after.maxTradeMicroUsd > before.maxTradeMicroUsd ||
  after.maxDayMicroUsd > before.maxDayMicroUsd ||
  after.maxPositionMicroUsd > before.maxPositionMicroUsd

/** Whether `names` lacks any of `required`. */
const lacks = (names: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some((name) => !names.includes(name))
