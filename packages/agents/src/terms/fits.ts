import { boundRiskTerms, fail, usdOf, usdText } from '@pit/protocol'
import type { AgentSession } from '@pit/sessions'
import type { HostedAgent } from '../types.ts'
import { policiesOf } from './riskTerms.ts'

type Bounded = Pick<HostedAgent, 'limits' | 'terms' | 'tokens'>
export interface FitCheck {
  rule: 'tokens' | 'max_trade' | 'max_day' | 'accept_risks' | 'shield' | 'policies'
  /** Field of the request. */
  field: string
  message: string
}

/** Limits of an agent that exceed its session; every such trade would be refused. */
export function outsideOf(agent: Bounded, { binding }: Pick<AgentSession, 'binding'>): FitCheck[] {
  const { limits, terms, tokens } = agent
  const checks: FitCheck[] = []
  const say = (rule: FitCheck['rule'], field: string, message: string) =>
    checks.push({ rule, field, message })

  const missing = tokens.filter(({ address }) => !(binding.tokens as string[]).includes(address))
  if (missing.length > 0) {
    say('tokens', 'pairs', `it does not include ${missing.map(({ token }) => token).join(', ')}`)
  }
  const trade = BigInt(binding.limits.max_trade_micro_usd)
  if (limits.maxTradeMicroUsd > trade) {
    say('max_trade', 'limits.max_trade_usd', `it allows ${usdText(usdOf(trade))} per trade`)
  }
  const day = BigInt(binding.limits.max_day_micro_usd)
  if (limits.maxDayMicroUsd > day) {
    say('max_day', 'limits.max_day_usd', `it allows ${usdText(usdOf(day))} per 24 hours`)
  }
  const bound = boundRiskTerms(binding)
  const unaccepted = terms.acceptRisks.filter((code) => !bound.accept_risks.includes(code))
  if (unaccepted.length > 0) {
    say('accept_risks', 'accept_risks', `it does not accept ${unaccepted.join(', ')}`)
  }
  // Must be equal: a session requires the audit for all of its trades or for none.
  if (terms.shield !== bound.shield) {
    say('shield', 'shield', bound.shield ? 'it requires shield' : 'it does not use shield')
  }
  const own = policiesOf(terms)
  const dropped = bound.policies.filter((policy) => !own.includes(policy))
  if (terms.shield && bound.shield && dropped.length > 0) {
    say('policies', 'policies', `it requires ${dropped.join(', ')}`)
  }
  return checks
}

export function checkFits(agent: Bounded, session: Pick<AgentSession, 'id' | 'binding'>): void {
  const checks = outsideOf(agent, session)
  const [first] = checks
  if (!first) return
  const text = checks.map(({ message }) => message).join('; ')
  fail('OUTSIDE_SESSION', {
    field: first.field,
    message: `The agent exceeds session ${session.id}: ${text}.`,
    checks: checks.map(({ rule, field, message }) => ({ rule, field, ok: false, message })),
  })
}
