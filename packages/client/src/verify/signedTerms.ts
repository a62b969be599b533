import type { Address, Hex } from '@pit/chain'
import {
  boundMarks,
  canonicalJson,
  controlsInWords,
  controlsJson,
  DAY_S,
  type Json,
  lower,
  minOf,
  type SessionBindingV3,
  usdOf,
} from '@pit/protocol'
import { must } from '../errors.ts'
import { type Own, own } from '../own/own.ts'
import type { Pins } from '../pins.ts'
import { amountText, timeText } from '../review/effects.ts'
import type { CheckedRoots, Pending } from './grant.ts'
import type { Approval } from './readPlan.ts'

/**
 * The terms of a signature, read from the client's own binding, roots and transactions.
 * @public
 */
export type SignedTerms = Own<{
  sessionId: string
  wallet: Address
  executor: Address
  cosigner: Address
  tokens: readonly { address: Address; symbol: string | null }[]
  limits: { maxTradeUsd: number; maxDayUsd: number; maxTrades: number }
  acceptRisks: readonly string[]
  shield: boolean
  policies: readonly string[]
  /** Additional limits that the co-signer enforces, in dollars; null without any. */
  controls: ReturnType<typeof controlsJson>
  /** The same, one sentence each. */
  controlsInWords: readonly string[]
  /** Unix seconds. */
  expiresS: number
  /** Prices that the owner signs, in dollars of a whole token times 10^18. */
  marks: readonly { token: Address; priceE18: bigint }[]
  /** ETH that can leave in one call and in a day by one root; null if the session does not trade ETH. */
  eth: CheckedRoots['eth']
  roots: readonly { kind: 'router' | 'curve' | 'fee'; hash: Hex }[]
  /** Code that the wallet takes (EIP-7702); null if it runs it already. */
  takesCode: Address | null
  /** Approvals that are sent before; none unless the setup is sent. */
  approvals: readonly Approval[]
  /** The same, one sentence each. */
  approvalsInWords: readonly string[]
}>

export function signedTerms(
  pins: Pins,
  {
    sessionId,
    binding,
    checked,
    takesCode,
    approvals,
  }: {
    sessionId: string
    binding: SessionBindingV3
    checked: CheckedRoots
    takesCode: Address | null
    approvals: readonly Approval[]
  },
): SignedTerms {
  const { limits, risk } = binding
  return own({
    sessionId,
    wallet: binding.wallet,
    executor: binding.executor,
    cosigner: binding.cosigner,
    tokens: binding.tokens.map((address) => ({ address, symbol: pins.tokens.get(address)?.symbol ?? null })),
    limits: {
      maxTradeUsd: usdOf(BigInt(limits.max_trade_micro_usd)),
      maxDayUsd: usdOf(BigInt(limits.max_day_micro_usd)),
      maxTrades: limits.max_trades,
    },
    acceptRisks: risk.accept_risks,
    shield: risk.shield,
    policies: risk.policies,
    controls: controlsJson(binding),
    controlsInWords: controlsInWords(binding),
    expiresS: binding.expires_at,
    marks: boundMarks(binding).map(({ token, price_e18 }) => ({ token, priceE18: BigInt(price_e18) })),
    eth: checked.eth,
    roots: checked.roots.map(({ kind, hash }) => ({ kind, hash })),
    takesCode,
    approvals,
    approvalsInWords: approvals.map((approval) => approvalText(pins, approval)),
  })
}

export function approvalText(pins: Pins, { token, spender, amount, expiresS }: Approval): string {
  const most = `may take up to ${amountText(pins, token, amount)}`
  if (expiresS !== null) return `The exchange’s router ${most} through Permit2 until ${timeText(expiresS)}.`
  return spender === pins.permit2 ? `Permit2 ${most}.` : `The curve ${spender} ${most}.`
}

/** The answer's own description must be that of the binding: one that belittles it comes from a liar. */
export function checkDescription(
  pending: Pending,
  terms: SignedTerms,
  { binding, lastsS }: { binding: SessionBindingV3; lastsS: number },
): void {
  const { limits } = terms
  const shownLimits = {
    max_trade_usd: limits.maxTradeUsd,
    max_day_usd: limits.maxDayUsd,
    max_trades: limits.maxTrades,
  }
  const { exposure, risk_terms } = pending
  const { by_cosigner, on_chain } = exposure
  const traded = minOf(
    BigInt(binding.limits.max_trade_micro_usd) * BigInt(limits.maxTrades),
    BigInt(binding.limits.max_day_micro_usd) * BigInt(Math.ceil(lastsS / DAY_S)),
  )
  const { max_trade_usd, max_day_usd, max_trades, traded_at_most_usd } = by_cosigner
  const same = (field: string, shown: unknown, signed: unknown) => {
    const isSame = canonicalJson(shown as Json) === canonicalJson(signed as Json)
    must(isSame, 'GRANT_BINDING', `the response’s ${field} differs from the binding`, { shown, signed })
  }
  const sorted = (list: readonly string[]) => [...list].sort()
  same('wallet', lower(pending.wallet), terms.wallet)
  same('executor', lower(pending.executor), terms.executor)
  same('co-signer', lower(pending.cosigner), terms.cosigner)
  same('expiry', pending.expires, terms.expiresS)
  same('limits', pickLimits(pending.limits), shownLimits)
  same('controls', pending.controls ?? null, terms.controls)
  same('exposure', { max_trade_usd, max_day_usd, max_trades }, shownLimits)
  same('exposure', traded_at_most_usd, usdOf(traded))
  same(
    'exposure in ETH',
    on_chain.eth && [on_chain.eth.per_trade_wei, on_chain.eth.per_window_wei],
    terms.eth && [terms.eth.tradeWei.toString(), terms.eth.dayWei.toString()],
  )
  same(
    'risk terms',
    [sorted(risk_terms.accept_risks), risk_terms.shield, sorted(risk_terms.policies ?? [])],
    [sorted(terms.acceptRisks), terms.shield, sorted(terms.policies)],
  )
  const words = exposure.in_words.join(' ').split(/[^0-9.]+/)
  const numbers = new Set(words.map((word) => word.replace(/\.$/, '')))
  const isSaid = [limits.maxTradeUsd, limits.maxDayUsd].every((usd) => numbers.has(String(usd)))
  must(isSaid, 'GRANT_BINDING', 'the response’s text does not state the limits of the binding')
}

const pickLimits = ({ max_trade_usd, max_day_usd, max_trades }: Pending['limits']) => ({
  max_trade_usd,
  max_day_usd,
  max_trades,
})
