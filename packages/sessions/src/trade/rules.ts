import { judgeAll, type Rule } from '@pit/platform/rules'
import {
  type Answer,
  boundFeeBps,
  boundRiskTerms,
  DEFAULT_SHIELD_POLICIES,
  type ErrorCode,
  errorRow,
  type FeeClass,
  fail,
  type RefusalCode,
  type SessionBinding,
  usdOf,
  usdText,
} from '@pit/protocol'
import type { Session, Used } from '../types.ts'
import type { SessionCall } from './readCall.ts'

export type Check = Answer<'live.session.trade'>['checks'][number]

/** Facts a session trade is checked against. Rules whose facts are absent do not run. */
export interface TradeFacts {
  session: Session
  nowS: number
  /** Why the stored session differs from what its owner signed; null if equal. */
  unbound: string | null
  /** Risk terms in the request, if any. */
  requestedTerms: { accept_risks?: unknown; shield?: unknown; policies?: unknown }
  /** Tokens of the trade, as far as they are known without a lookup. */
  tokens?: readonly string[]
  /** Tokens that an older binding requires the audit to verify, and that are not verified. */
  unverified?: readonly string[]
  used?: Used
  /** Value of the trade. */
  microUsd?: bigint
  call?: SessionCall
  fee?: { bps: number; class: FeeClass }
}

type Verdict = Pick<Check, 'ok' | 'message' | 'value' | 'limit'>
interface SessionRule extends Rule<TradeFacts, Verdict, RefusalCode> {
  /** The request field to change. */
  field?(facts: TradeFacts): string | undefined
}

/** No trade starts this close to the end: it could not be mined in time. */
export const EXPIRY_MARGIN_S = 10

/**
 * Rules of a session in order: status, binding, remaining limits, the call. The co-signer checks everything
 * again by its own reading; here a trade that cannot pass is refused before it is counted.
 */
export const SESSION_RULES: readonly SessionRule[] = [
  {
    code: 'SESSION_PENDING',
    check: ({ session: { status } }) => {
      const ok = status !== 'pending' && status !== 'registering'
      return { ok, message: ok ? 'The session is active.' : 'The session is not active yet.' }
    },
  },
  {
    code: 'SESSION_REVOKED',
    check: ({ session: { status } }) => ({
      ok: status !== 'revoked',
      message: status === 'revoked' ? 'The session was revoked.' : 'The session is not revoked.',
    }),
  },
  {
    code: 'SESSION_EXPIRED',
    check: ({ session: { expiresAtS }, nowS }) => ({
      ok: nowS < expiresAtS,
      message: nowS < expiresAtS ? 'The session has not expired.' : 'The session has expired.',
      value: nowS,
      limit: expiresAtS,
    }),
  },
  {
    code: 'SESSION_EXPIRY',
    check({ session: { expiresAtS }, nowS }) {
      const [value, limit] = [expiresAtS - nowS, EXPIRY_MARGIN_S]
      const message = `The session expires in ${Math.max(0, value)} s; a trade takes up to ${limit} s.`
      return { ok: value > limit, message, value, limit }
    },
  },
  {
    code: 'SESSION_BOUND',
    check: ({ unbound }) => ({
      ok: unbound === null,
      message: unbound ?? 'The binding matches the owner’s signature.',
    }),
  },
  { code: 'SESSION_TERMS', field: differingTerm, check: termsVerdict },
  {
    code: 'TOKEN_NOT_ALLOWED',
    field: ({ tokens = [] }) => (isSymbol(tokens[0] ?? '') ? 'token_in' : 'token_out'),
    check({ tokens = [] }) {
      if (!tokens.some(isSymbol)) return null
      return { ok: false, message: 'Unknown symbol. Name a token that is not a core asset by its address.' }
    },
  },
  {
    code: 'SESSION_TOKENS',
    check({ session: { binding }, tokens }) {
      if (!tokens) return null
      const outside = tokens.filter((token) => !(binding.tokens as string[]).includes(token))
      const message =
        outside.length === 0
          ? 'Both tokens are in the session.'
          : `Not in the session: ${outside.join(', ')}.`
      return { ok: outside.length === 0, message, value: outside, limit: binding.tokens }
    },
  },
  {
    code: 'TOKEN_UNVERIFIED',
    check({ session: { binding }, unverified }) {
      if (binding.version >= 3 || !unverified) return null
      return {
        ok: unverified.length === 0,
        value: unverified,
        message:
          unverified.length === 0
            ? 'The audit has verified both tokens, or the session lists them.'
            : `The audit has not verified ${unverified.join(', ')}, and this session does not list it.`,
      }
    },
  },
  {
    code: 'SESSION_TRADES_LEFT',
    check({ session: { binding }, used }) {
      if (!used) return null
      const { max_trades: limit } = binding.limits
      const message = `${Math.max(0, limit - used.trades)} of ${limit} trades left.`
      return { ok: used.trades < limit, message, value: used.trades, limit }
    },
  },
  {
    code: 'SESSION_MAX_TRADE',
    check({ session: { binding }, microUsd }) {
      if (microUsd === undefined) return null
      const limit = BigInt(binding.limits.max_trade_micro_usd)
      const message = `The maximum per trade is ${usdText(usdOf(limit))}.`
      return { ok: microUsd <= limit, message, value: usdOf(microUsd), limit: usdOf(limit) }
    },
  },
  {
    code: 'SESSION_MAX_DAY',
    check({ session: { binding }, microUsd, used }) {
      if (microUsd === undefined || !used) return null
      const limit = BigInt(binding.limits.max_day_micro_usd)
      const sum = used.dayMicroUsd + microUsd
      const signed = usdOf(used.dayMicroUsd)
      const message = `The maximum per 24 hours is ${usdText(usdOf(limit))}; ${usdText(signed)} are used.`
      return { ok: sum <= limit, message, value: usdOf(sum), limit: usdOf(limit) }
    },
  },
  {
    code: 'SESSION_CURVE_ROOTS',
    check: ({ call }) =>
      call?.kind === 'curve'
        ? {
            ok: call.roots !== null,
            message:
              call.roots === null
                ? 'The owner has not signed curve roots for this session.'
                : 'Curve roots are signed.',
          }
        : null,
  },
  {
    code: 'SESSION_CURVE',
    check: ({ call }) =>
      call?.kind === 'curve' && call.roots !== null
        ? {
            ok: call.roots.curve.curves.includes(call.execution.target),
            message: `The curve traded is ${call.execution.target}.`,
            value: call.execution.target,
            limit: call.roots.curve.curves,
          }
        : null,
  },
  {
    code: 'SESSION_CURVE_STEPS',
    check: ({ call }) =>
      call?.kind === 'curve'
        ? {
            ok: call.oddSteps.length === 0,
            message:
              call.oddSteps.length === 0
                ? 'The steps are the fee in ETH and the trade.'
                : 'A session trades a curve with one call and pays the fee separately in ETH.',
            value: call.oddSteps,
          }
        : null,
  },
  {
    code: 'SESSION_TARGET',
    check({ call, session: { binding } }) {
      if (call?.kind !== 'router') return null
      const { target } = call.execution
      return {
        ok: target === binding.router,
        message: `The call is to ${target}.`,
        value: target,
        limit: binding.router,
      }
    },
  },
  {
    code: 'SESSION_RECIPIENTS',
    check({ call, session: { binding } }) {
      if (!call) return null
      const paid = recipientsOf(call)
      if (paid === null) return null
      const expected: readonly string[] = [binding.wallet, binding.fee.recipient]
      const strange = paid.filter((address) => !expected.includes(address))
      const message =
        strange.length === 0
          ? 'Recipients are the wallet and the fee recipient.'
          : `Unexpected recipients: ${strange.join(', ')}.`
      return { ok: strange.length === 0, message, value: paid, limit: expected }
    },
  },
  {
    code: 'SESSION_EXECUTION',
    check: ({ call }) =>
      call ? { ok: call.fault === null, message: call.fault ?? 'The call is allowed in a session.' } : null,
  },
  {
    code: 'WALLET_CODE',
    check({ call }) {
      if (!call) return null
      const { code, setup } = call
      // If the setup is missing, it has to be sent first: it would invalidate an authorization signed now.
      if (code.state === 'unsigned' && setup !== null) return null
      return 'why' in code
        ? { ok: false, message: code.why }
        : { ok: true, message: 'The wallet has the delegator’s code, or gets it with this trade.' }
    },
  },
  {
    code: 'SESSION_SETUP',
    check: ({ call }) =>
      call
        ? {
            ok: call.setup === null,
            message: call.setup ?? 'The amount spent is approved.',
          }
        : null,
  },
  {
    code: 'SESSION_ROOT_ALLOWS',
    check({ call }) {
      if (!call) return null
      const { valueWei } = call.execution
      return {
        ok: valueWei <= call.maxWei,
        message: `The root’s maximum per call is ${call.maxWei} wei, at the price of the grant.`,
        value: valueWei.toString(),
        limit: call.maxWei.toString(),
      }
    },
  },
  {
    code: 'FEE_BPS',
    field: () => 'max_fee_bps',
    check({ session: { binding }, fee }) {
      if (!fee) return null
      const allowed = boundFeeBps(binding, fee.class)
      return {
        ok: allowed.includes(fee.bps),
        message: `The fee for class ${fee.class} is ${allowed.join(' or ')} bps under this binding.`,
        value: fee.bps,
        limit: allowed,
      }
    },
  },
  {
    code: 'FEE_MISMATCH',
    check: ({ call }) =>
      call
        ? { ok: call.feeFault === null, message: call.feeFault ?? 'The call pays the required fee.' }
        : null,
  },
]

/** A name that `namedTokens` could not resolve to an address. */
const isSymbol = (token: string): boolean => !token.startsWith('0x')

/** Every rule that can run, in order. */
export const checkSession = (facts: TradeFacts): Check[] =>
  judgeAll(SESSION_RULES, facts, ({ code }, verdict) => ({ code, severity: 'refuse', ...verdict }))

/** Throws by the first failed rule, with all checks that ran. */
export function refuseBySession(facts: TradeFacts): Check[] {
  const checks = checkSession(facts)
  const failed = checks.find(({ ok }) => !ok)
  if (!failed) return checks
  const code = failed.code as RefusalCode
  const extras: Record<string, unknown> = {
    checks,
    field: SESSION_RULES.find((rule) => rule.code === code)?.field?.(facts),
    sign: facts.call?.code.state === 'unsigned' ? { authorization: facts.call.code.sign } : undefined,
  }
  const named = errorRow(code as ErrorCode).extras.filter((name) => extras[name] !== undefined)
  return fail(code, {
    message: failed.message,
    ...Object.fromEntries(named.map((name) => [name, extras[name]])),
  })
}

/** The binding sets the terms; a request may only repeat them, in any order. */
function termsVerdict(facts: TradeFacts): Verdict {
  const differs = differingTerm(facts)
  return {
    ok: differs === undefined,
    message:
      differs === undefined
        ? 'The risk terms match the binding.'
        : `\`${differs}\` is set by the session. Omit it.`,
    limit: boundRiskTerms(facts.session.binding),
  }
}

function differingTerm({
  session: { binding },
  requestedTerms,
}: TradeFacts): keyof TradeFacts['requestedTerms'] | undefined {
  const bound = boundRiskTerms(binding)
  return (Object.keys(requestedTerms) as (keyof typeof requestedTerms)[]).find(
    (name) =>
      requestedTerms[name] !== undefined && !isSame(requestedTerms[name], bound[name], name === 'policies'),
  )
}

function isSame(requested: unknown, bound: boolean | readonly string[], mayBeFalse: boolean): boolean {
  if (typeof bound === 'boolean') return requested === bound
  // False means no named policies, as in a shield with defaults.
  if (mayBeFalse && requested === false) {
    return bound.length === 0 || isSame([...DEFAULT_SHIELD_POLICIES], bound, false)
  }
  if (!Array.isArray(requested)) return false
  const items = new Set(requested)
  return items.size === bound.length && bound.every((item) => items.has(item))
}

/** Null if the call is unreadable, which another rule reports. */
function recipientsOf(call: SessionCall): string[] | null {
  if (call.kind === 'curve') return [call.recipient, call.fee.recipient]
  return call.reading && (call.reading.fee ? [call.reading.fee.recipient] : [])
}

/** The fee rate: the wallet's tier as far as the binding allows it, or the schedule's own. */
export function feeBpsOf(binding: SessionBinding, tierBps: number): (cls: FeeClass) => number {
  return (cls) => {
    const allowed = boundFeeBps(binding, cls)
    if (binding.fee.schedule === 1 || cls === 'other') return allowed[0] ?? 0
    const due = tierBps + (binding.version === 3 && binding.risk.shield ? binding.fee.shield_add_bps : 0)
    // Sorted descending: the highest rate not above the tier, else the lowest.
    return allowed.find((bps) => bps <= due) ?? allowed[allowed.length - 1] ?? 0
  }
}
