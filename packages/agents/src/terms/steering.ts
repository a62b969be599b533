import type { AgentLimits, HostedAgent } from '../types.ts'
import { policiesOf } from './riskTerms.ts'

type Steered = Pick<HostedAgent, 'brain' | 'params' | 'pairs' | 'limits' | 'terms'>

/**
 * The fields by which a change makes another agent of it: who decides, what it trades, or wider bounds. The
 * owner's signature was for the one before, and a key alone must not steer money.
 */
export function steeringOf(before: Steered, after: Steered): string[] {
  const [old, now] = [before.terms, after.terms]
  // Risks accepted and policies dropped are bounds as much as dollars are.
  const changes: Record<string, boolean> = {
    brain: after.brain !== before.brain,
    'params.url': after.brain === 'webhook' && after.params['url'] !== before.params['url'],
    pairs: after.pairs.join() !== before.pairs.join(),
    limits: isWider(before.limits, after.limits),
    accept_risks: lacks(old.acceptRisks, now.acceptRisks),
    shield: old.shield && !now.shield,
    policies: now.shield && lacks(policiesOf(now), policiesOf(old)),
  }
  return Object.keys(changes).filter((field) => changes[field])
}

const isWider = (before: AgentLimits, after: AgentLimits): boolean =>
  after.maxTradeMicroUsd > before.maxTradeMicroUsd ||
  after.maxDayMicroUsd > before.maxDayMicroUsd ||
  after.maxPositionMicroUsd > before.maxPositionMicroUsd

/** Whether any of `wanted` is missing. */
const lacks = (names: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some((name) => !names.includes(name))
