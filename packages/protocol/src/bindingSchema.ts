import { type Static, Type } from '@sinclair/typebox'
import { MICRO_USD_PER_USD } from './money/dollars.ts'
import { CHAIN_ID, CONTROLS, FEE, SESSION } from './numbers.ts'
import { SHIELD_POLICY_NAMES } from './risks.ts'
import { Exact, OneOf } from './schemas/scalars.ts'

/**
 * The limits that a session's owner signs besides the caveats. Their canonical JSON is hashed into the root's
 * salt, so that no key can widen them later. Every field has one spelling (lower-case, sorted, whole numbers),
 * because another spelling would give another hash. Signed shapes never change; a new shape gets a new version.
 */

const MICRO = Number(MICRO_USD_PER_USD)
const MAX_TOKENS = 32
const MAX_DAY_MICRO_USD = SESSION.maxTradeUsdMax * SESSION.maxDayMultipleOfMaxTrade * MICRO

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
/** Owner-signed price of one whole token: dollars times 10^18, in decimal digits. */
const Mark = Exact({
  token: Address,
  decimals: Whole(0, 36),
  price_e18: Type.String({ pattern: '^[1-9][0-9]{0,35}$' }),
})

const Limits = Exact({
  max_trade_micro_usd: Whole(1, SESSION.maxTradeUsdMax * MICRO),
  max_day_micro_usd: Whole(1, MAX_DAY_MICRO_USD),
  max_trades: Whole(SESSION.maxTradesMin, SESSION.maxTradesMax),
})

const PeriodS = Whole(CONTROLS.minPeriodS, CONTROLS.maxPeriodS)
/** Refuses opening trades for `cool_down_s` after the session's P&L fell this far below its best. */
const Breaker = Exact({
  max_fall_micro_usd: Whole(1, MAX_DAY_MICRO_USD),
  /** Null: since the session began. */
  window_s: Type.Union([PeriodS, Type.Null()]),
  cool_down_s: PeriodS,
})
/** Additional limits that the co-signer enforces. Their roots carry the wallet's nonce at the NonceEnforcer. */
const Controls = Exact({
  /** Trades that exceed it in an hour need a signed order; 0: every trade does. */
  signature_above_micro_usd: Type.Optional(Whole(0, MAX_DAY_MICRO_USD)),
  breakers: Type.Optional(Type.Array(Breaker, { minItems: 1, maxItems: CONTROLS.maxBreakers })),
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
  /** Random, so that granting the same terms twice gives two roots. */
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
  /** Added to either rate if the session has shield. */
  shield_add_bps: FeeBps,
})

const BindingV1 = Exact({ version: Type.Literal(1), ...common, fee: FirstFee })
const BindingV2 = Exact({
  version: Type.Literal(2),
  ...common,
  fee: FirstFee,
  risk: Exact({ accept_risks: AcceptedRisks, shield: Type.Boolean() }),
  /** Tokens that the owner allows although the audit has not verified them. */
  unverified_tokens: Type.Array(Address, { ...EachOnce, maxItems: MAX_TOKENS }),
})
export const SessionBindingV3 = Exact(
  {
    version: Type.Literal(SESSION.bindingVersion),
    ...common,
    fee: Fee,
    risk: Exact({ accept_risks: AcceptedRisks, shield: Type.Boolean(), policies: Policies }),
    /**
     * Prices for the tokens that the co-signer cannot price itself. Omitted if there are none.
     */
    marks: Type.Optional(Type.Array(Mark, { minItems: 1, maxItems: MAX_TOKENS })),
    /** Omitted in a session without controls. */
    controls: Type.Optional(Controls),
  },
  { title: 'SessionBinding' },
)
export type SessionBindingV3 = Static<typeof SessionBindingV3>
export type BindingLimits = Static<typeof Limits>
export type BindingMark = Static<typeof Mark>
export type BindingControls = Static<typeof Controls>
export type SessionBinding = Static<typeof BindingV1> | Static<typeof BindingV2> | SessionBindingV3

export const BINDING_SCHEMAS = { 1: BindingV1, 2: BindingV2, 3: SessionBindingV3 } as const
