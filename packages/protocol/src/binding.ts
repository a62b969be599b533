import type {
  BindingControls,
  BindingLimits,
  BindingMark,
  SessionBinding,
  SessionBindingV3,
} from './bindingSchema.ts'
import { canonicalJson } from './canonicalJson.ts'
import { lower } from './lower.ts'
import { grouped } from './money/decimals.ts'
import { MICRO_USD_PER_USD } from './money/dollars.ts'
import { CHAIN_ID, FEE, SESSION } from './numbers.ts'

// Separate from the schemas, which clients do not bundle.

const MICRO = Number(MICRO_USD_PER_USD)

/** A broken rule of a binding or grant. `field` is the grant's field name if it has one. */
export type BindingFault = { field: string; message: string }

/** The ranges of the limits, by the grant's field names. */
export function limitFaults(limits: BindingLimits): BindingFault[] {
  const { max_trade_micro_usd: trade, max_day_micro_usd: day, max_trades: trades } = limits
  const faults: BindingFault[] = []
  const say = (good: boolean, field: string, message: string) => good || faults.push({ field, message })
  const between = (value: number, least: number, most: number): boolean =>
    Number.isSafeInteger(value) && value >= least && value <= most
  const { maxTradeUsdMax, maxDayMultipleOfMaxTrade: multiple, maxTradesMin, maxTradesMax } = SESSION
  say(
    between(trade, 1, maxTradeUsdMax * MICRO),
    'max_trade_usd',
    `must be above 0 and at most ${grouped(maxTradeUsdMax)}`,
  )
  say(
    between(day, trade, multiple * trade),
    'max_day_usd',
    `must be from max_trade_usd to ${multiple} times it`,
  )
  say(between(trades, maxTradesMin, maxTradesMax), 'max_trades', `must be ${maxTradesMin} to ${maxTradesMax}`)
  return faults
}

/** Checks a session's remaining time. With a token that has no oracle feed it is at most a day. */
export function expiryFaults(
  expiresInS: number,
  tokens: 'all have a feed' | 'some have no feed',
): BindingFault[] {
  const feedless = tokens === 'some have no feed'
  const most = feedless ? SESSION.expiresInSMaxFeedless : SESSION.expiresInSMax
  if (Number.isSafeInteger(expiresInS) && expiresInS >= SESSION.expiresInSMin && expiresInS <= most) return []
  const why = feedless ? ', as a token has no oracle feed' : ''
  return [{ field: 'expires_in_s', message: `must be ${SESSION.expiresInSMin} to ${most}${why}` }]
}

/** The salt of a root. The caller passes the hash function: keccak256 of UTF-8 text. */
export function bindingHash(
  keccakText: (text: string) => `0x${string}`,
  binding: SessionBinding,
): `0x${string}` {
  return keccakText(canonicalJson(binding))
}

type Ask = Pick<
  SessionBindingV3,
  'wallet' | 'executor' | 'cosigner' | 'router' | 'limits' | 'expires_at' | 'nonce'
> & {
  tokens: readonly string[]
  feeRecipient: string
  risk: { accept_risks: readonly string[]; shield: boolean; policies: readonly string[] }
  marks?: readonly BindingMark[]
  controls?: BindingControls
}

/** Creates a canonical binding of the current version and fee schedule. Does not check ranges. */
export function createBinding(request: Ask): SessionBindingV3 {
  return {
    version: SESSION.bindingVersion,
    chain_id: CHAIN_ID,
    wallet: lower(request.wallet),
    executor: lower(request.executor),
    cosigner: lower(request.cosigner),
    router: lower(request.router),
    tokens: sorted(request.tokens.map(lower)),
    limits: request.limits,
    expires_at: request.expires_at,
    fee: {
      schedule: FEE.schedule,
      recipient: lower(request.feeRecipient),
      major_min_bps: FEE.majorMinBps,
      major_max_bps: FEE.majorMaxBps,
      other_bps: FEE.otherBps,
      shield_add_bps: FEE.shieldAddBps,
    },
    risk: {
      accept_risks: sorted(request.risk.accept_risks),
      shield: request.risk.shield,
      policies: sorted(request.risk.policies) as SessionBindingV3['risk']['policies'],
    },
    nonce: lower(request.nonce),
    ...(request.marks && request.marks.length > 0 && { marks: sortedMarks(request.marks) }),
    ...(request.controls && { controls: sortedControls(request.controls) }),
  }
}

/** Fee rates that the binding allows for this class, including shield, highest first. */
export function boundFeeBps(binding: SessionBinding, feeClass: 'major' | 'other'): number[] {
  const { fee } = binding
  if (fee.schedule === 1) return [fee.fee_bps]
  const shield = binding.version === 3 && binding.risk.shield ? fee.shield_add_bps : 0
  if (feeClass === 'other') return [fee.other_bps + shield]
  return FEE.majorTiers
    .map(({ bps }) => bps)
    .filter((bps) => bps >= fee.major_min_bps && bps <= fee.major_max_bps)
    .map((bps) => bps + shield)
}

/** The risk terms of the session's trades; version 1 had none. */
export function boundRiskTerms(binding: SessionBinding): SessionBindingV3['risk'] {
  if (binding.version === 3) return binding.risk
  return { accept_risks: [], shield: false, policies: [], ...(binding.version === 2 && binding.risk) }
}

/** Owner-signed prices; only version 3 has any. */
export function boundMarks(binding: SessionBinding): readonly BindingMark[] {
  return (binding.version === 3 && binding.marks) || []
}

/** Undefined for a session without controls; only version 3 has any. */
export const boundControls = (binding: SessionBinding): BindingControls | undefined =>
  binding.version === 3 ? binding.controls : undefined

/** Before version 3, tokens that the audit has not verified had to be listed as such. */
export function boundToVerified(binding: SessionBinding, token: string): boolean {
  if (binding.version === 3) return false
  return binding.version === 1 || !(binding.unverified_tokens as string[]).includes(token.toLowerCase())
}

const sorted = <T extends string>(items: readonly T[]): T[] => [...new Set(items)].sort()
const sortedMarks = (marks: readonly BindingMark[]): BindingMark[] =>
  marks.map((mark) => ({ ...mark, token: lower(mark.token) })).sort((a, b) => (a.token < b.token ? -1 : 1))

/** The narrowest breaker first; a member that says nothing is left out. */
function sortedControls({ signature_above_micro_usd, breakers = [] }: BindingControls): BindingControls {
  const sorted = [...breakers].sort((a, b) => a.max_fall_micro_usd - b.max_fall_micro_usd)
  return {
    ...(signature_above_micro_usd !== undefined && { signature_above_micro_usd }),
    ...(sorted.length > 0 && { breakers: sorted }),
  }
}
