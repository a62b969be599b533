import { type Answer, RISKS, type RiskCode } from '@pit/protocol'
import type { Verdict } from './audits/index.ts'
import type { Audited } from './readAudit.ts'

type Risk = Answer<'tokens.get'>['risks'][number]

/** Nothing but verified counts as verified. */
function codeOf(verdict: Verdict): RiskCode | null {
  if (verdict === 'verified') return null
  return verdict === 'flagged' ? 'AUDIT_FLAGGED' : 'AUDIT_UNVERIFIED'
}

/** What the audit adds to a token's disclosures, beyond those it has already. */
export function auditRisks(
  token: string,
  { audit, findings }: Audited,
  has: readonly { code: string }[] = [],
): Risk[] {
  const verdict = codeOf(audit.verdict)
  const codes = findings.filter((code) => has.every((risk) => risk.code !== code))
  return [
    ...(verdict === null ? [] : [riskOf(verdict, token, '')]),
    ...codes.map((code) => riskOf(code, token, ', says the audit')),
  ]
}

function riskOf(code: RiskCode, token: string, source: string): Risk {
  const { severity, meaning } = RISKS[code]
  return { code, severity, token, message: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}${source}.` }
}
