import { NATIVE } from '@pit/chain'
import { auditRisks } from '@pit/market'
import { type Answer, fail, type SessionBindingV3, SHIELD_POLICIES } from '@pit/protocol'
import type { SessionDeps } from '../deps.ts'
import type { GrantToken } from './findTokens.ts'

type Risk = Answer<'tokens.get'>['risks'][number]
type Check = Answer<'live.quote'>['policy'][number]
type Terms = SessionBindingV3['risk']

/** Risks of the tokens; with shield, also those of the audit. Throws AUDIT_UNAVAILABLE. */
export async function risksOf(
  { tokens: { readAudit } }: Pick<SessionDeps, 'tokens'>,
  tokens: readonly GrantToken[],
  { shield }: Terms,
): Promise<Risk[]> {
  const audited = shield ? tokens.filter(({ address }) => address !== NATIVE) : []
  const verdicts = await Promise.all(
    audited.map(async ({ address, risks }) => auditRisks(address, await readAudit(address), risks)),
  )
  return [...tokens.flatMap(({ risks }) => risks), ...verdicts.flat()]
}

/**
 * Rejects terms under which every trade of one of the tokens would be refused, with the rules and order of a
 * trade. Risks of a single trade (price impact, route) are checked when it is made.
 */
export function judgeRisks(risks: readonly Risk[], { accept_risks, policies }: Terms): void {
  const codes = new Set(risks.map(({ code }) => code))
  const refusedBy = (name: Terms['policies'][number]) =>
    SHIELD_POLICIES[name].filter((code) => codes.has(code))
  const names = policies.filter((name) => refusedBy(name).length > 0)
  const blocked = [...new Set(names.flatMap(refusedBy))]
  const severe = [...new Set(risks.filter(({ severity }) => severity === 'severe').map(({ code }) => code))]
  const unaccepted = severe.filter((code) => !accept_risks.includes(code))
  const checks: Check[] = [
    {
      code: 'RISK_BLOCKED',
      ok: blocked.length === 0,
      severity: 'refuse',
      message: `Shield policies: ${policies.join(', ') || 'none'}.`,
      value: blocked,
    },
    {
      code: 'RISK_NOT_ACCEPTED',
      ok: unaccepted.length === 0,
      severity: 'refuse',
      message: `Severe risks: ${severe.join(', ') || 'none'}.`,
      value: unaccepted,
    },
  ]
  if (blocked.length > 0) {
    fail('RISK_BLOCKED', {
      message: `Shield policy ${names.join(', ')} blocks ${blocked.join(', ')}.`,
      blocked,
      policy: { names, checks },
      risks,
    })
  }
  if (unaccepted.length > 0) {
    fail('RISK_NOT_ACCEPTED', {
      message: `Severe risks not accepted: ${unaccepted.join(', ')}.`,
      unaccepted,
      policy: { names: policies, checks },
      risks,
    })
  }
}
