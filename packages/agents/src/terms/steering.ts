import type { AgentLimits, HostedAgent } from '../types.ts'
import { steeringParams } from './freeParams.ts'
import { policiesOf } from './riskTerms.ts'

type Steered = Pick<HostedAgent, 'brain' | 'params' | 'intervalS' | 'pairs' | 'limits' | 'terms'>

/**
 * The fields of a change that decide what an agent trades, when, or how much more. The owner's signature was
 * for the agent before it, and a key alone must not steer money.
 */
export function steeringOf(before: Steered, after: Steered): string[] {
  const [old, now] = [before.terms, after.terms]
  // Risks accepted and policies dropped are bounds as much as dollars are.
  const changes: Record<string, boolean> = {
    brain: after.brain !== before.brain,
    interval_s: after.intervalS < before.intervalS,
    pairs: after.pairs.join() !== before.pairs.join(),
    limits: isWider(before.limits, after.limits),
    accept_risks: lacks(old.acceptRisks, now.acceptRisks),
    shield: old.shield && !now.shield,
    policies: now.shield && lacks(policiesOf(now), policiesOf(old)),
  }
  // Params of another brain are covered by `brain`.
  const params = changes['brain'] ? [] : steeringParams(after.brain, before.params, after.params)
  return [...Object.keys(changes).filter((field) => changes[field]), ...params]
}

const isWider = (before: AgentLimits, after: AgentLimits): boolean =>
  after.maxTradeMicroUsd > before.maxTradeMicroUsd ||
  after.maxDayMicroUsd > before.maxDayMicroUsd ||
  after.maxPositionMicroUsd > before.maxPositionMicroUsd

/** Whether any of `wanted` is missing. */
const lacks = (names: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some((name) => !names.includes(name))
