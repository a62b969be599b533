import { judgeAll } from '@pit/platform/rules'
import { type ErrorCode, errorRow, fail, type RefusalCode } from '@pit/protocol'
import type { Check, TradeQuote } from '../types.ts'
import {
  blockedBy,
  type CheckPolicy,
  type Judged,
  judgedOf,
  type PolicyContext,
  policiesOf,
  severeOf,
  unacceptedOf,
} from './policyContext.ts'
import { POLICY } from './policyRules.ts'

export const checkPolicy: CheckPolicy = (quote, context) =>
  judgeAll(POLICY, judgedOf(quote, context), ({ code, severity }, verdict) => ({
    code,
    severity,
    ...verdict,
  }))

/** Rules about the request alone: checked before any read. */
const OF_REQUEST = ['APPROVAL_MODE', 'APPROVAL_BUDGET', 'UNLIMITED_APPROVAL'] as const

export function refuseTerms(
  context: Pick<PolicyContext, 'approval'>,
  codes: readonly (typeof OF_REQUEST)[number][] = OF_REQUEST,
): void {
  const rules = POLICY.filter(({ code }) => (codes as readonly string[]).includes(code))
  const judged = judgeAll(rules, context as Judged, (rule, verdict) => ({ ...rule, ...verdict }))
  const failed = judged.find(({ ok }) => !ok)
  if (failed) refuse(failed.code as RefusalCode, failed.message, { field: failed.field })
}

/** Whether every refusing rule that ran passed. */
export const passes = (checks: readonly Check[]): boolean =>
  checks.every(({ ok, severity }) => ok || severity !== 'refuse')

/** Refuses with the first failed refusing rule and all checks that ran. */
export function refuseByPolicy(quote: TradeQuote, context: PolicyContext, checks: readonly Check[]): void {
  const failed = checks.find(({ ok, severity }) => !ok && severity === 'refuse')
  if (!failed) return
  const judged = judgedOf(quote, context)
  const blocked = blockedBy(judged)
  refuse(failed.code as RefusalCode, failed.message, {
    field: POLICY.find(({ code }) => code === failed.code)?.field,
    unaccepted: unacceptedOf(judged),
    blocked: blocked.codes,
    policy: { names: failed.code === 'RISK_BLOCKED' ? blocked.names : policiesOf(quote), checks },
    risks: quote.risks,
  })
}

/** Severe risks of this trade that the owner accepted. */
export function acceptedOf(quote: TradeQuote, context: PolicyContext): string[] {
  return severeOf(judgedOf(quote, context)).filter((code) => context.acceptRisks.includes(code))
}

/** Keeps only the extras that the code's row declares. */
function refuse(code: RefusalCode, message: string, extras: Record<string, unknown>): never {
  const named = errorRow(code as ErrorCode).extras.filter((name) => extras[name] !== undefined)
  return fail(code, { message, ...Object.fromEntries(named.map((name) => [name, extras[name]])) })
}
