import { judgeAll, type Rule } from '@pit/platform/rules'
import { errorRow, type PitError, type RefusalCode, refusal } from '@pit/protocol'
import type { RuleVerdict, SignerCheck } from '@pit/signer-wire'

/** A failed rule without its name, which is added when the rules are run. */
export type Failure = Omit<SignerCheck, 'rule' | 'ok'>

/** For a chain that was not read, or on which two nodes disagree. */
export const unreadMessage = (why?: string | null): string =>
  `The co-signer could not read the chain; nothing was signed${why ? `: ${why}` : ''}.`

type Measure = Pick<Failure, 'value' | 'limit'>
interface MeasuredRule<Facts> extends Rule<Facts, Failure> {
  /** The value and its limit, whether it passes or not. Null: nothing to measure. */
  measure?(facts: Facts): Measure | null
}

/** An ordered list of rules, each a pure function of the same facts. */
export type Rules<Facts> = readonly MeasuredRule<Facts>[]

/** A rule that compares a value with its limit. Null: not applicable, or not enough facts. */
export function bounded<Facts>(
  code: string,
  judge: (facts: Facts) => (Failure & { ok: boolean }) | null,
): MeasuredRule<Facts> {
  return {
    code,
    check(facts) {
      const verdict = judge(facts)
      if (verdict === null || verdict.ok) return null
      const { ok: _, ...failure } = verdict
      return failure
    },
    measure(facts) {
      const verdict = judge(facts)
      if (verdict?.value === undefined) return null
      const { value, limit } = verdict
      return { value, ...(limit !== undefined && { limit }) }
    },
  }
}

/** Every rule that can run runs. */
export const failuresOf = <Facts>(rules: Rules<Facts>, facts: Facts): SignerCheck[] =>
  judgeAll(rules, facts, ({ code }, failure) => ({ rule: code, ok: false, ...failure }))

/** Every rule, passed or failed, with its value and limit if it has any. */
export const verdictsOf = <Facts>(rules: Rules<Facts>, facts: Facts): RuleVerdict[] =>
  rules.map(({ code, check, measure }) => {
    const failure = check(facts)
    if (failure) return { rule: code, ok: false, ...failure }
    return { rule: code, ok: true, message: 'Passed.', ...measure?.(facts) }
  })

/** Temporary failures that do not concern the trade. */
const PASSING: readonly string[] = ['CHAIN_UNAVAILABLE', 'PRICE_UNAVAILABLE']
/** Rules whose name is the error code if they are the only one that failed. */
const OWN_CODES: readonly string[] = [
  ...PASSING,
  'PRICE',
  'SIGNED_MARK_PRICE',
  'FEE_REQUIRED',
  'FEE_CLASS',
  'SESSION_FEE',
  'FEE_DECLARED',
  'SLIPPAGE',
]
/** Returned even if other rules failed too. */
const FIRST: readonly string[] = ['SANCTIONED', 'SIGNER_FROZEN', 'EXECUTOR_CLOSED']

/** Whose key sends a trade: one this signer holds for a hosted agent, or the user's own. */
export type Carrier = 'hosted executor' | 'own executor'

/**
 * The refusal of a trade. A single failed rule with its own code is that code; otherwise it is REFUSED, or
 * TRADE_REFUSED for a hosted executor, unless all failures are temporary.
 */
export function tradeRefusal(failures: readonly SignerCheck[], carrier: Carrier): PitError {
  const rules = failures.map(({ rule }) => rule)
  const first = FIRST.find((rule) => rules.includes(rule))
  const alone = rules.length === 1 && OWN_CODES.includes(rules[0]!) ? rules[0] : undefined
  const passing = rules.every((rule) => PASSING.includes(rule)) ? rules[0] : undefined
  const whole = carrier === 'hosted executor' ? 'TRADE_REFUSED' : 'REFUSED'
  return refusalWith((first ?? alone ?? passing ?? whole) as RefusalCode, failures)
}

/** The refusal of an executor's transaction. */
export function txRefusal(failures: readonly SignerCheck[]): PitError {
  const rules = failures.map(({ rule }) => rule)
  const first = FIRST.find((rule) => rules.includes(rule))
  const passing = rules.every((rule) => PASSING.includes(rule)) ? rules[0] : undefined
  return refusalWith((first ?? passing ?? 'TX_REFUSED') as RefusalCode, failures)
}

/** The refusal of a root: the first rule that failed; each rule has its own code. */
export const rootRefusal = (failures: readonly SignerCheck[]): PitError =>
  refusalWith(failures[0]!.rule as RefusalCode, failures)

/** Adds `signer_checks` to a refusal whose table row has them and that lists none. */
export function withChecks(error: PitError): PitError {
  const { code, message, status, retryAfterS, extras } = error
  if (!errorRow(code).extras.includes('signer_checks') || extras['signer_checks'] !== undefined) return error
  const check: SignerCheck = { rule: code, ok: false, message }
  return refusal(code, {
    ...extras,
    message,
    status,
    ...(retryAfterS !== undefined && { retryAfterS }),
    signer_checks: [check],
  })
}

function refusalWith(code: RefusalCode, failures: readonly SignerCheck[]): PitError {
  const named = failures.find(({ rule }) => rule === code)
  return refusal(code, {
    signer_checks: failures,
    ...(named && { message: named.message }),
    ...(code === 'SANCTIONED' && named?.value !== undefined && { field: String(named.value) }),
    ...(code === 'BAD_SIGNATURE' && { status: 422 }),
  })
}
