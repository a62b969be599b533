import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { canonicalJson } from './canonicalJson.ts'
import { MICRO_USD_PER_USD } from './money/dollars.ts'
import { CHAIN_ID, FEE, SESSION } from './numbers.ts'
import { SHIELD_POLICY_NAMES } from './risks.ts'
import { Exact, OneOf } from './schemas/scalars.ts'

/**
 * What a session's owner signs besides the caveats: its canonical JSON is hashed into the root's salt, so
 * that no key can widen it later. Every field has one spelling (lower-case, sorted, whole numbers), because
 * another spelling would be another hash. A shape once signed under is never changed; a new one gets a new
 * version.
 */

const MICRO = Number(MICRO_USD_PER_USD)
const MAX_TOKENS = 32

const Address = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-f]{40}$' }))
const Nonce = Type.Unsafe<`0x${string}`>(Type.String({ pattern: '^0x[0-9a-f]{64}$' }))
const Whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
const FeeBps = Whole(0, FEE.maxBps)
const EachOnce = { uniqueItems: true }
const AcceptedRisks = Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), {
  ...EachOnce,
  maxItems: 64,
})
const Policies = Type.Array(OneOf(SHIELD_POLICY_NAMES), EachOnce)
/** What one whole token is worth by its owner's word: dollars times 10^18, in decimal digits. */
const Mark = Exact({
  token: Address,
  decimals: Whole(0, 36),
  price_e18: Type.String({ pattern: '^[1-9][0-9]{0,35}$' }),
})

const Limits = Exact({
  max_trade_micro_usd: Whole(1, SESSION.maxTradeUsdMax * MICRO),
  max_day_micro_usd: Whole(1, SESSION.maxTradeUsdMax * SESSION.maxDayMultipleOfMaxTrade * MICRO),
  max_trades: Whole(SESSION.maxTradesMin, SESSION.maxTradesMax),
})

const common = {
  chain_id: Type.Literal(CHAIN_ID),
  wallet: Address,
  executor: Address,
  cosigner: Address,
  router: Address,
  /** Native ETH is the all-zero address. */
  tokens: Type.Array(Address, { ...EachOnce, minItems: SESSION.minTokens, maxItems: MAX_TOKENS }),
  limits: Limits,
  /** Unix seconds. */
  expires_at: Whole(1, 9_999_999_999),
  /** Random: the same terms granted twice are two roots. */
  nonce: Nonce,
}
/** Schedule 1 had one rate for every trade. */
const FirstFee = Exact({ schedule: Type.Literal(1), recipient: Address, fee_bps: FeeBps })
const Fee = Exact({
  schedule: Type.Literal(FEE.schedule),
  recipient: Address,
  major_min_bps: FeeBps,
  major_max_bps: FeeBps,
  other_bps: FeeBps,
  /** On top of either, when the session has shield. */
  shield_add_bps: FeeBps,
})

const BindingV1 = Exact({ version: Type.Literal(1), ...common, fee: FirstFee })
const BindingV2 = Exact({
  version: Type.Literal(2),
  ...common,
  fee: FirstFee,
  risk: Exact({ accept_risks: AcceptedRisks, shield: Type.Boolean() }),
  /** Of the tokens, those the owner wants traded although the audit has not verified them. */
  unverified_tokens: Type.Array(Address, { ...EachOnce, maxItems: MAX_TOKENS }),
})
export const SessionBindingV3 = Exact(
  {
    version: Type.Literal(SESSION.bindingVersion),
    ...common,
    fee: Fee,
    risk: Exact({ accept_risks: AcceptedRisks, shield: Type.Boolean(), policies: Policies }),
    /**
     * For each token the co-signer cannot price itself: it judges trades of it by this. Left out when there
     * is none.
     */
    marks: Type.Optional(Type.Array(Mark, { minItems: 1, maxItems: MAX_TOKENS })),
  },
  { title: 'SessionBinding' },
)
export type SessionBindingV3 = Static<typeof SessionBindingV3>
export type BindingMark = Static<typeof Mark>
export type SessionBinding = Static<typeof BindingV1> | Static<typeof BindingV2> | SessionBindingV3

const SCHEMAS = { 1: BindingV1, 2: BindingV2, 3: SessionBindingV3 } as const

/** A rule a binding or a grant breaks. `field` is the grant's name of it where it has one. */
export type BindingFault = { field: string; message: string }
export type ReadBinding = { ok: true; binding: SessionBinding } | ({ ok: false } & BindingFault)

/**
 * Any version ever granted, in its one spelling; what breaks a rule is named. Its end is judged by
 * `expiryFaults`.
 */
export function readBinding(value: unknown): ReadBinding {
  const version = (value as { version?: unknown } | null)?.version
  const schema = version === 1 || version === 2 || version === 3 ? SCHEMAS[version] : undefined
  if (!schema) return { ok: false, field: 'version', message: 'is none that was ever granted' }
  const error = Value.Errors(schema, value).First()
  if (error) {
    const field = error.path.slice(1).replaceAll('/', '.').slice(0, 80)
    return { ok: false, field, message: error.message }
  }
  const binding = value as SessionBinding
  const [fault] = bindingFaults(binding)
  return fault ? { ok: false, ...fault } : { ok: true, binding }
}

function bindingFaults(binding: SessionBinding): BindingFault[] {
  const { wallet, executor, cosigner, router, tokens, limits, fee } = binding
  const faults = limitFaults(limits)
  const say = (bad: boolean, field: string, message: string) => bad && faults.push({ field, message })
  const lists: [string, readonly string[]][] = [['tokens', tokens]]
  if (binding.version > 1) lists.push(['risk.accept_risks', (binding as SessionBindingV3).risk.accept_risks])
  if (binding.version === 2) lists.push(['unverified_tokens', binding.unverified_tokens])
  if (binding.version === 3) {
    lists.push(['risk.policies', binding.risk.policies])
    lists.push(['marks', boundMarks(binding).map(({ token }) => token)])
  }
  for (const [field, items] of lists) say(!isSorted(items), field, 'must be sorted, each once')
  say(executor === wallet, 'executor', 'may not be the wallet')
  say(executor === cosigner, 'executor', 'may not be the co-signer')
  say(cosigner === wallet, 'cosigner', 'may not be the wallet')
  say([wallet, executor, cosigner].includes(router), 'router', 'must be a contract of its own')
  if (binding.version === 2) {
    const stray = binding.unverified_tokens.some((token) => !tokens.includes(token))
    say(stray, 'unverified_tokens', 'must be among the tokens')
  }
  const marked = boundMarks(binding).map(({ token }) => token)
  say(
    marked.some((token) => !tokens.includes(token)),
    'marks',
    'must be of the tokens',
  )
  if (fee.schedule === 2) {
    say(fee.major_min_bps > fee.major_max_bps, 'fee.major_min_bps', 'is above major_max_bps')
    const most = Math.max(fee.major_max_bps, fee.other_bps) + fee.shield_add_bps
    say(most > FEE.maxBps, 'fee', `is more than ${FEE.maxBps} bps with shield`)
  }
  return faults
}

/** The limits' ranges, in the grant's own names. */
export function limitFaults(limits: Static<typeof Limits>): BindingFault[] {
  const { max_trade_micro_usd: trade, max_day_micro_usd: day, max_trades: trades } = limits
  const faults: BindingFault[] = []
  const say = (good: boolean, field: string, message: string) => good || faults.push({ field, message })
  const between = (value: number, least: number, most: number): boolean =>
    Number.isSafeInteger(value) && value >= least && value <= most
  const { maxTradeUsdMax, maxDayMultipleOfMaxTrade: multiple, maxTradesMin, maxTradesMax } = SESSION
  say(
    between(trade, 1, maxTradeUsdMax * MICRO),
    'max_trade_usd',
    `must be above 0 and at most ${maxTradeUsdMax}`,
  )
  say(
    between(day, trade, multiple * trade),
    'max_day_usd',
    `must be from max_trade_usd to ${multiple} times it`,
  )
  say(between(trades, maxTradesMin, maxTradesMax), 'max_trades', `must be ${maxTradesMin} to ${maxTradesMax}`)
  return faults
}

/** Whether a session may still last so long. One with a token that has no oracle feed ends within a day. */
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

/** What a root's salt is. The caller has the hash function: keccak256 of a text as UTF-8. */
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
}

/** A binding of today's version and fee schedule, in its one spelling. Ranges are not judged here. */
export function createBinding(ask: Ask): SessionBindingV3 {
  return {
    version: SESSION.bindingVersion,
    chain_id: CHAIN_ID,
    wallet: lower(ask.wallet),
    executor: lower(ask.executor),
    cosigner: lower(ask.cosigner),
    router: lower(ask.router),
    tokens: sorted(ask.tokens.map(lower)),
    limits: ask.limits,
    expires_at: ask.expires_at,
    fee: {
      schedule: FEE.schedule,
      recipient: lower(ask.feeRecipient),
      major_min_bps: FEE.majorMinBps,
      major_max_bps: FEE.majorMaxBps,
      other_bps: FEE.otherBps,
      shield_add_bps: FEE.shieldAddBps,
    },
    risk: {
      accept_risks: sorted(ask.risk.accept_risks),
      shield: ask.risk.shield,
      policies: sorted(ask.risk.policies) as SessionBindingV3['risk']['policies'],
    },
    nonce: lower(ask.nonce),
    ...(ask.marks && ask.marks.length > 0 && { marks: sortedMarks(ask.marks) }),
  }
}

/** The rates a trade of this class may pay under the binding, highest first; its shield counted in. */
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

/** The risk terms trades run under; version 1 knew none. */
export function boundRiskTerms(binding: SessionBinding): SessionBindingV3['risk'] {
  if (binding.version === 3) return binding.risk
  return { accept_risks: [], shield: false, policies: [], ...(binding.version === 2 && binding.risk) }
}

/** Owner-signed prices; only version 3 has any. */
export function boundMarks(binding: SessionBinding): readonly BindingMark[] {
  return (binding.version === 3 && binding.marks) || []
}

/** Before version 3 a token the audit has not verified is traded only when it was listed as such. */
export function boundToVerified(binding: SessionBinding, token: string): boolean {
  if (binding.version === 3) return false
  return binding.version === 1 || !(binding.unverified_tokens as string[]).includes(token.toLowerCase())
}

const lower = (text: string): `0x${string}` => text.toLowerCase() as `0x${string}`
const sorted = <T extends string>(items: readonly T[]): T[] => [...new Set(items)].sort()
const sortedMarks = (marks: readonly BindingMark[]): BindingMark[] =>
  marks.map((mark) => ({ ...mark, token: lower(mark.token) })).sort((a, b) => (a.token < b.token ? -1 : 1))
const isSorted = (items: readonly string[]): boolean =>
  items.every((item, i) => i === 0 || (items[i - 1] as string) < item)
