import type { Address, CurvePool, Hex, PermitSingle, SignedAuthorization } from '@pit/chain'
import type { Mark, RecordNow } from '@pit/market'
import type { PlanHop } from '@pit/plans'
import type { Answer, CoreSymbol, FeeClass, FeeSide, ShieldPolicy, schemas, Venue } from '@pit/protocol'

export type Risk = Answer<'tokens.get'>['risks'][number]
export type Audit = NonNullable<Answer<'tokens.get'>['audit']>
export type Check = Answer<'live.quote'>['policy'][number]
export type Measured = schemas.Measured

/** What is asked for, read and typed; who asks is not in it, but for the wallet whose fee tier counts. */
export interface TradeParams {
  /** Whose tier sets the fee; null: the posted rate. */
  wallet: Address | null
  /** A core symbol or an address, as it was sent. */
  tokenIn: string
  tokenOut: string
  /** Exactly one of the two. */
  notionalUsd?: number
  amountIn?: bigint
  slippageBps?: number
  venues: readonly Venue[]
  shield: boolean
  /** Null: the default policies when shielded. */
  policies: readonly ShieldPolicy[] | null
  /** Only this route; otherwise the best. */
  routeId?: string
  /** Routes that won lately are tried before a full scan. */
  fast: boolean
  /** Charges the budget for screening a token not seen before. */
  admit(): Promise<void>
  /** A session's own terms instead of the schedule's: bps by class, shield included. */
  feeBps?: (cls: FeeClass) => number
  /** The minimum is checked at the router, not by the wallet's balance, which other calls may change. */
  minimumAtRouter?: boolean
}

/** One end of a trade, with everything known of it now. */
export interface TradeToken {
  /** Lower-case; all zero for ETH. */
  address: Address
  symbol: string
  decimals: number
  core: CoreSymbol | null
  /** A stock token by its beacon, or a listed one. */
  stock: boolean
  record: RecordNow
  /** Its independent price; undefined when there is none or it cannot be read. */
  mark: Mark | undefined
}

/** What the trade pays: `bps` of the amount at its side, rounded down. */
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
  /** The part of the swapped amount that goes this way; all parts add up to it. */
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
  /** In words: `ETH → USDG (v3 0.05%)`. */
  label: string
  /** Null for an aggregator: it is quoted and never built. */
  way: Way | null
  /** memory: exact, from followed state; call: by the on-chain quoter; vendor: by an aggregator. */
  quotedBy: 'memory' | 'call' | 'vendor'
  /** What the pools deliver for the input less an input-side fee; an output-side fee still comes off it. */
  amountOut: bigint
  /**
   * The same for what a tax of the sold token leaves of the input: less moves the price less. Only where the
   * token has one and its pools are in memory.
   */
  outAfterSellTax?: bigint
  gas: number
  gasUsd: number | null
  /** Against the reference mid, before the service's fee; negative is worse. */
  vsMidBps: number | null
  /** Everything lost against the mid: pool fees, impact, the service's fee, gas. */
  totalBps: number | null
  /** How far the trade moves the price. */
  impactBps: number | null
  /** Distance of the route's price to the token's independent reference; positive is worse. */
  guardBps: number | null
  /** What this route alone adds, such as UNKNOWN_HOOK. */
  risks: Risk[]
}
/** A venue that could not be quoted, and why; shown, never used. */
export interface FailedRoute {
  id: string
  venue: Venue
  label: string
  why: string
  /** What a plan by this venue is refused with; without it there is simply no route there. */
  code?: 'CURVE_PAIR' | 'CURVE_GRADUATED' | 'SNIPE_TAX' | 'VENUE_FAILED'
  /** When waiting helps. */
  retryAfterS?: number
}

/** A trade priced at one block. Nothing of it refuses for risk: that is the policy's work. */
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
  /** What enters the pools: `amountIn` less an input-side fee. */
  swapIn: bigint
  fee: TradeFee
  slippageBps: number
  /** The pair's cap for this size. */
  slippageCapBps: number
  /** Best first by output net of gas, or the one asked for; buildable before aggregators at equal output. */
  routes: PricedRoute[]
  failed: FailedRoute[]
  /** Routes looked at. */
  candidates: number
  /** Output per input, whole tokens; null when no reference pools join the two. */
  mid: number | null
  /** Whether a mid is due for this pair (both ends core): then its absence is NO_REFERENCE_MID. */
  midDue: boolean
  gasPriceWei: bigint
  ethUsd: number | null
  /** Both tokens', the trade's and (with shield) the audit's; severe first, each code once per token. */
  risks: Risk[]
  /** With shield. */
  audit: Audit | null
  timings: Record<string, number>
}

/** What was read of a wallet for one plan, all of one block. */
export interface WalletState {
  wallet: Address
  block: number
  /** The next free one, pending transactions counted. */
  nonce: number
  /** The next that can be mined: less than `nonce` while transactions wait. */
  minedNonce: number
  balanceWei: bigint
  /** Of the input; the ETH balance when that is ETH. */
  balanceIn: bigint
  /** Of the input token to Permit2, and from Permit2 to the router; zero for ETH. */
  allowance: bigint
  permit: { amount: bigint; expirationS: number; nonce: number }
  /** Of the input token to the curve or the token it is spent by, when a curve is traded. */
  curveAllowance: bigint
  /** The contract an EIP-7702 wallet runs, or null. */
  delegatedTo: Address | null
  /** Whether the wallet has code that is no 7702 delegation. */
  hasOtherCode: boolean
  /** Stock ends only. */
  stocks: { token: Address; paused: boolean; blocked: boolean }[]
  /** Of a stock trade: the router or the permit contract, where the issuer blocks it. */
  blockedParties: Address[]
}

/** An unsigned transaction of a plan. Gas, nonce and fees are suggestions: the wallet may choose its own. */
export interface PlanTx {
  from: Address
  to: Address
  valueWei: bigint
  data: Hex
  gas: number
  nonce: number
  maxFeePerGasWei: bigint
  maxPriorityFeePerGasWei: bigint
  /** EIP-7702: gives accounts their code before the call. Only a session's first trade has any. */
  authorizations?: readonly SignedAuthorization[]
}
export type StepKind = 'approve' | 'sign_permit' | 'fee_transfer' | 'swap'
export interface PlanStep {
  kind: StepKind
  why: string
  /** Null for a signature. */
  tx: PlanTx | null
  /** The call in words and numbers a person can check. */
  decoded: schemas.Decoded
}

/** A plan: what is to be signed, and everything it was checked against. */
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
  /** The swap without its permit, while the permit is unsigned: a client verifies this before it signs. */
  preview: { to: Address; valueWei: bigint; data: Hex } | null
  /** All signatures are there: every step is a transaction that can be signed now. */
  complete: boolean
}

/** How a plan behaved in a simulation of exactly its transactions. */
export interface PlanSimulation {
  ok: boolean
  block: number
  /** What the wallet received of the output, from balances; null when it reverted. */
  amountOut: bigint | null
  /** What the fee recipient received of the fee token, from balances. */
  feeTransfer: bigint | null
  gasTotal: number | null
  fundedByOverrides: boolean
  transactions: SimulatedTx[]
  /** In words, when not ok. */
  error: string | null
}
export interface SimulatedTx {
  kind: StepKind
  ok: boolean
  gasUsed: number
  /** Why it reverted, in words. */
  error: string | null
  /** It reverted because less came out than its minimum: the price, not the call. */
  tooLittle?: boolean
  logs: { address: Address; topics: Hex[]; data: Hex }[]
}
