import { type Answer, RISKS, type RiskCode, severeFirst } from '@pit/protocol'
import type { Verdict } from './audits/index.ts'
import type { Audited } from './readAudit.ts'

type Risk = Answer<'tokens.get'>['risks'][number]

/** Only "verified" counts as verified. */
function codeOf(verdict: Verdict): RiskCode | null {
  if (verdict === 'verified') return null
  return verdict === 'flagged' ? 'AUDIT_FLAGGED' : 'AUDIT_UNVERIFIED'
}

/** Risks the audit adds to a token's existing disclosures. */
export function auditRisks(
  token: string,
  { audit, findings }: Audited,
  has: readonly { code: string }[] = [],
): Risk[] {
  const verdict = codeOf(audit.verdict)
  const codes = findings.filter((code) => has.every((risk) => risk.code !== code))
  return [
    ...(verdict === null ? [] : [riskOf(verdict, token, '')]),
    ...codes.map((code) => riskOf(code, token, ', according to the audit')),
  ]
}

/** The risks of a record and of the token's audit, severe first. */
export function withAudit(
  { risks, address }: { risks: readonly Risk[]; address: string },
  audited: Audited,
): Risk[] {
  const all = [...risks, ...auditRisks(address, audited, risks)]
  const order = severeFirst(all.map((risk) => risk.code as RiskCode))
  return all.toSorted((a, b) => order.indexOf(a.code as RiskCode) - order.indexOf(b.code as RiskCode))
}

function riskOf(code: RiskCode, token: string, source: string): Risk {
  const { severity, meaning } = RISKS[code]
  return { code, severity, token, message: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}${source}.` }
}
