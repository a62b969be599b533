import type { Address, CurvePool, Hex, PermitSingle, SignedAuthorization } from '@pit/chain'
import type { Mark, RecordNow, Audited as TokenAudited } from '@pit/market'
import type { PlanHop } from '@pit/plans'
import type { Answer, CoreSymbol, FeeClass, FeeSide, ShieldPolicy, schemas, Venue } from '@pit/protocol'

export type Risk = Answer<'tokens.get'>['risks'][number]
export type Audit = NonNullable<Answer<'tokens.get'>['audit']>
/** The audit verdict of one token. */
export interface Audited extends TokenAudited {
  token: Address
}
export type Check = Answer<'live.quote'>['policy'][number]
export type Measured = schemas.Measured

/** A parsed trade request. The caller is not part of it, except for the wallet whose fee tier applies. */
export interface TradeParams {
  /** Its tier sets the fee; null: the posted rate. */
  wallet: Address | null
  /** A core symbol or an address, as sent. */
  tokenIn: string
  tokenOut: string
  /** Exactly one of the two. */
  notionalUsd?: number
  amountIn?: bigint
  slippageBps?: number
  /** Of the signed order that the trade carries out. */
  orderBounds?: OrderBounds | undefined
  venues: readonly Venue[]
  shield: boolean
  /** Null: the default policies when shielded. */
  policies: readonly ShieldPolicy[] | null
  /** Only this route; the best by default. */
  routeId?: string
  /** Tries recent winners before a full scan. */
  fast: boolean
  /** Charges the budget for screening a token not seen before. */
  admit(): Promise<void>
  /** A session's own rates instead of the schedule: bps by class, shield included. */
  feeBps?: (cls: FeeClass) => number
  /** Enforces the minimum at the router, not by the wallet's balance, which other calls may change. */
  minimumAtRouter?: boolean
}

/** Bounds of a signed order at the co-signer. */
export interface OrderBounds {
  /** The whole order: a trade needs its share of the minimum. */
  amountIn: bigint
  minAmountOut: bigint
  /** The minimum is worth at most so much less than the input at independent marks, fee apart. */
  maxSlippageBps: number
}

/** One end of a trade with all current data. */
export interface TradeToken {
  /** Lower-case; all zero for ETH. */
  address: Address
  symbol: string
  decimals: number
  core: CoreSymbol | null
  /** A stock token by its beacon, or a listed one. */
  stock: boolean
  record: RecordNow
  /** Its independent price; undefined if there is none or it cannot be read. */
  mark: Mark | undefined
}

/** The trade's fee: `bps` of the amount on its side, rounded down. */
export interface TradeFee {
  /** Shield included. */
  bps: number
  class: FeeClass
  /** Before shield. */
  tier: number
  side: FeeSide
  /** All zero for ETH. */
  token: Address
  recipient: Address
}

export interface PoolLeg {
  hops: readonly PlanHop[]
  /** The part of the swapped amount on this path; all parts add up to it. */
  amountIn: bigint
}
export type Way =
  | { kind: 'pools'; legs: readonly PoolLeg[] }
  | { kind: 'curve'; curve: CurvePool; side: 'buy' | 'sell' }

/** A route with its price for this size. */
export interface PricedRoute {
  /** Stable hash of the path. */
  id: string
  venue: Venue
  /** For display: `ETH → USDG (v3 0.05%)`. */
  label: string
  /** Null for an aggregator: it is quoted and never built. */
  way: Way | null
  /** memory: exact, from followed state; call: by the on-chain quoter; vendor: by an aggregator. */
  quotedBy: 'memory' | 'call' | 'vendor'
  /** The pools' output for the input less an input-side fee; an output-side fee still has to be deducted. */
  amountOut: bigint
  /**
   * The same for the input after the sold token's tax, which moves the price less. Only if the token has a tax
   * and its pools are in memory.
   */
  outAfterSellTax?: bigint
  gas: number
  gasUsd: number | null
  /** Against the reference mid, before the service's fee; negative is worse. */
  vsMidBps: number | null
  /** Total loss against the mid: pool fees, impact, the service's fee, gas. */
  totalBps: number | null
  /** Price impact of the trade. */
  impactBps: number | null
  /** Distance from the token's independent reference; positive is worse. */
  guardBps: number | null
  /** Risks that only this route adds, such as UNKNOWN_HOOK. */
  risks: Risk[]
}
/** A venue that could not be quoted, and why; for display only. */
export interface FailedRoute {
  id: string
  venue: Venue
  label: string
  why: string
  /** Refusal code of a plan for this venue; without it there is simply no route. */
  code?: 'CURVE_PAIR' | 'CURVE_GRADUATED' | 'SNIPE_TAX' | 'VENUE_FAILED'
  /** Set if waiting helps. */
  retryAfterS?: number
}

/** A trade priced at one block. It never refuses for risk: the policy does. */
export interface TradeQuote {
  request: TradeParams
  block: number
  blockTimeS: number
  tokenIn: TradeToken
  tokenOut: TradeToken
  /** Fee included. */
  amountIn: bigint
  /** Its value in millionths of a dollar; null when neither end has a price. */
  notionalMicroUsd: bigint | null
  /** Amount that enters the pools: `amountIn` less an input-side fee. */
  swapIn: bigint
  fee: TradeFee
  slippageBps: number
  /** The pair's cap for this size. */
  slippageCapBps: number
  /** Best first by output net of gas, or the requested one; buildable before aggregators at equal output. */
  routes: PricedRoute[]
  failed: FailedRoute[]
  /** Number of routes examined. */
  candidates: number
  /** Output per input, whole tokens; null when no reference pools join the two. */
  mid: number | null
  /** Whether this pair must have a mid (both ends core): its absence is NO_REFERENCE_MID. */
  midDue: boolean
  gasPriceWei: bigint
  ethUsd: number | null
  /** Risks of both tokens, the trade and (with shield) the audit; severe first, each code once per token. */
  risks: Risk[]
  /** With shield: the verdict of each end except native ETH. */
  audits: readonly Audited[]
  timings: Record<string, number>
}

/** A wallet's state for one plan, all from one block. */
export interface WalletState {
  wallet: Address
  block: number
  /** The next free nonce, including pending transactions. */
  nonce: number
  /** The next nonce to be mined: less than `nonce` while transactions are pending. */
  minedNonce: number
  balanceWei: bigint
  /** Of the input; the ETH balance if the input is ETH. */
  balanceIn: bigint
  /** Of the input token to Permit2, and from Permit2 to the router; zero for ETH. */
  allowance: bigint
  permit: { amount: bigint; expirationS: number; nonce: number }
  /** Of the input token to the curve, if one is traded. */
  curveAllowance: bigint
  /** The contract an EIP-7702 wallet runs, or null. */
  delegatedTo: Address | null
  /** Whether the wallet has code other than a 7702 delegation. */
  hasOtherCode: boolean
  /** Stock ends only. */
  stocks: { token: Address; paused: boolean; blocked: boolean }[]
  /** For a stock trade: the router or Permit2, if the issuer blocks it. */
  blockedParties: Address[]
}

/** An unsigned transaction of a plan. Gas, nonce and fees are suggestions that the wallet may change. */
export interface PlanTx {
  from: Address
  to: Address
  valueWei: bigint
  data: Hex
  gas: number
  nonce: number
  maxFeePerGasWei: bigint
  maxPriorityFeePerGasWei: bigint
  /** EIP-7702 authorizations. Only a session's first trade has any. */
  authorizations?: readonly SignedAuthorization[]
}
export type StepKind = 'approve' | 'sign_permit' | 'fee_transfer' | 'swap'
export interface PlanStep {
  kind: StepKind
  why: string
  /** Null for a signature. */
  tx: PlanTx | null
  /** The call in a form a person can check; most plans are simulated and never shown. */
  decoded: () => schemas.Decoded
}

/** A plan: what to sign, and everything it was checked against. */
export interface TradePlan {
  quote: TradeQuote
  route: PricedRoute
  execution: 'router' | 'curve' | 'batch'
  steps: PlanStep[]
  /** Exact for fixed transfers (input side, curves, batches); null for PAY_PORTION. */
  feeAmount: bigint | null
  feeCommand: 'TRANSFER' | 'PERMIT2_TRANSFER_FROM' | 'PAY_PORTION' | 'fee_transfer' | 'batch transfer'
  amountOutMin: bigint
  amountOutExpected: bigint
  deadlineS: number
  permit: PermitSingle | null
  permitNowS: number | null
  /** The swap without its permit, while that is unsigned: a client verifies it before signing. */
  preview: { to: Address; valueWei: bigint; data: Hex } | null
  /** All signatures are present: every step is a transaction that can be signed now. */
  complete: boolean
}

/** Result of simulating exactly a plan's transactions. */
export interface PlanSimulation {
  ok: boolean
  block: number
  /** Output received by the wallet, from balances; null if it reverted. */
  amountOut: bigint | null
  /** Fee received by its recipient, from balances. */
  feeTransfer: bigint | null
  gasTotal: number | null
  fundedByOverrides: boolean
  transactions: SimulatedTx[]
  /** Set if not ok. */
  error: string | null
}
export interface SimulatedTx {
  kind: StepKind
  ok: boolean
  gasUsed: number
  /** Why it reverted. */
  error: string | null
  /** It reverted because the output was below its minimum: the price moved, the call is valid. */
  tooLittle?: boolean
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}
