import type { Brain } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'

/** An independent price of one minute: dollars per whole token, times 1e18. */
export interface Mark {
  atS: number
  priceE18: bigint
}

export interface PairNow {
  /** BASE/QUOTE as the owner wrote them. */
  pair: string
  base: string
  quote: string
  baseSymbol: string
  quoteSymbol: string
  /** Dollars per whole base times 1e18, by its independent mark; null if unavailable. */
  priceE18: bigint | null
  stale: boolean
  /** Minute marks of the base, oldest first. */
  history: readonly Mark[]
}

export interface BrainMarket {
  atS: number
  pairs: readonly PairNow[]
}

export interface Position {
  /** As in `PairNow.base` and `quote`. */
  token: string
  symbol: string
  atoms: bigint
  /** Null without a price. */
  microUsd: bigint | null
}

export interface BrainBook {
  /** USDG. */
  cashMicroUsd: bigint
  equityMicroUsd: bigint | null
  positions: readonly Position[]
  /** Used of max_day_usd in the last 24 hours. */
  dayUsedMicroUsd: bigint
}

export interface BrainLimits {
  maxTradeMicroUsd: bigint
  maxDayMicroUsd: bigint
  maxPositionMicroUsd: bigint
}

export interface Order {
  pair: string
  side: 'buy' | 'sell'
  microUsd: bigint
  reason: string
}

/** No orders means hold; `reason` explains the decision. */
export interface Decision {
  orders: readonly Order[]
  reason: string
  /** The brain's JSON state for its next tick; null for none. */
  state: Record<string, unknown> | null
}

/** Result of a brain. `hold`: no call was made or it failed; `error`: the call or its answer was rejected. */
export type BrainResult =
  | { kind: 'decision'; decision: Decision; data?: unknown }
  | { kind: 'hold' | 'error'; code: string; message: string; data?: unknown }

export type RuleBrainName = Exclude<Brain, 'partner_llm' | 'webhook' | 'orders'>

export interface BrainInput {
  market: BrainMarket
  book: BrainBook
  /** Parsed by the brain's schema, with defaults. */
  params: Record<string, unknown>
  state: Record<string, unknown> | null
  limits: BrainLimits
  intervalS: number
}

export interface RuleBrain {
  name: RuleBrainName
  summary: string
  paramsSchema: TSchema
  /** Checks beyond the schema; undefined if the params are valid. */
  paramsProblem?(params: Record<string, unknown>): { field: string; message: string } | undefined
  /** Checks params against the agent's pairs; undefined if they fit. */
  pairsProblem?(
    params: Record<string, unknown>,
    pairs: readonly string[],
  ): { field: string; message: string } | undefined
  /** How far back `PairNow.history` has to reach with these params. */
  historyS(params: Record<string, unknown>): number
  decide(input: BrainInput): Decision
}
