import {
  DEFAULT_SHIELD_POLICIES,
  fail,
  isRiskCode,
  type RiskCode,
  SHIELD_POLICIES,
  type ShieldPolicy,
} from '@pit/protocol'
import type { AgentTerms } from '../types.ts'

/** In their one spelling; whether they make sense together is `checkTerms`'s to say. */
export const normalTerms = ({ acceptRisks, shield, policies }: AgentTerms): AgentTerms => ({
  acceptRisks: [...new Set(acceptRisks)].sort(),
  shield,
  policies: policies && [...new Set(policies)].sort(),
})

/** The policies trades are held to. */
export const policiesOf = ({ shield, policies }: AgentTerms): readonly ShieldPolicy[] =>
  shield ? (policies ?? DEFAULT_SHIELD_POLICIES) : []

export interface TermsFault {
  field: 'accept_risks' | 'policies'
  message: string
}

/** Where risk terms contradict themselves. */
export function termsFaults(terms: AgentTerms): TermsFault[] {
  const { acceptRisks, shield, policies } = terms
  const faults: TermsFault[] = []
  const unknown = acceptRisks.filter((code) => !isRiskCode(code))
  if (unknown.length > 0) {
    faults.push({ field: 'accept_risks', message: `there is no risk called ${unknown.join(', ')}` })
  }
  if (!shield && policies !== null && policies.length > 0) {
    faults.push({ field: 'policies', message: 'policies are the shield’s: they need shield true' })
  }
  for (const policy of policiesOf(terms)) {
    const blocked = acceptRisks.filter((code) => SHIELD_POLICIES[policy].includes(code as RiskCode))
    if (blocked.length === 0) continue
    const message = `${blocked.join(', ')} cannot be accepted while ${policy} refuses it`
    faults.push({ field: 'accept_risks', message })
  }
  return faults
}

export function checkTerms(terms: AgentTerms): void {
  const faults = termsFaults(terms)
  const [first] = faults
  if (!first) return
  const text = faults.map(({ message }) => message).join('; ')
  fail('BAD_TERMS', { field: first.field, message: `The risk terms contradict themselves: ${text}.` })
}
