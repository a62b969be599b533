import {
  DEFAULT_SHIELD_POLICIES,
  fail,
  isRiskCode,
  type RiskCode,
  SHIELD_POLICIES,
  type ShieldPolicy,
} from '@pit/protocol'
import type { AgentTerms } from '../types.ts'

/** In canonical form; `checkTerms` checks their consistency. */
export const normalTerms = ({ acceptRisks, shield, policies }: AgentTerms): AgentTerms => ({
  acceptRisks: [...new Set(acceptRisks)].sort(),
  shield,
  policies: policies && [...new Set(policies)].sort(),
})

/** The policies that apply to trades. */
export const policiesOf = ({ shield, policies }: AgentTerms): readonly ShieldPolicy[] =>
  shield ? (policies ?? DEFAULT_SHIELD_POLICIES) : []

export interface TermsFault {
  field: 'accept_risks' | 'policies'
  message: string
}

/** Contradictions in risk terms. */
export function termsFaults(terms: AgentTerms): TermsFault[] {
  const { acceptRisks, shield, policies } = terms
  const faults: TermsFault[] = []
  const unknown = acceptRisks.filter((code) => !isRiskCode(code))
  if (unknown.length > 0) {
    faults.push({ field: 'accept_risks', message: `unknown risk ${unknown.join(', ')}` })
  }
  if (!shield && policies !== null && policies.length > 0) {
    faults.push({ field: 'policies', message: 'policies require shield: true' })
  }
  for (const policy of policiesOf(terms)) {
    const blocked = acceptRisks.filter((code) => SHIELD_POLICIES[policy].includes(code as RiskCode))
    if (blocked.length === 0) continue
    const message = `${blocked.join(', ')} cannot be accepted together with policy ${policy}`
    faults.push({ field: 'accept_risks', message })
  }
  return faults
}

export function checkTerms(terms: AgentTerms): void {
  const faults = termsFaults(terms)
  const [first] = faults
  if (!first) return
  const text = faults.map(({ message }) => message).join('; ')
  fail('BAD_TERMS', { field: first.field, message: `Invalid risk terms: ${text}.` })
}
