import type { Brain } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'

/** A minute's independent price: dollars for one whole token, times 1e18. */
export interface Mark {
  atS: number
  priceE18: bigint
}

export interface PairNow {
  /** BASE/QUOTE as the owner named them. */
  pair: string
  base: string
  quote: string
  baseSymbol: string
  quoteSymbol: string
  /** Dollars per whole base times 1e18, by its independent mark; null when it could not be read. */
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
  /** Null when the token has no price now. */
  microUsd: bigint | null
}

export interface BrainBook {
  /** USDG. */
  cashMicroUsd: bigint
  equityMicroUsd: bigint | null
  positions: readonly Position[]
  /** Ordered in the last 24 hours, of max_day_usd. */
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

/** No orders is a hold; `reason` says why in words. */
export interface Decision {
  orders: readonly Order[]
  reason: string
  /** What the brain remembers until its next tick, JSON; null: nothing. */
  state: Record<string, unknown> | null
}

export type RuleBrainName = Exclude<Brain, 'partner_llm' | 'webhook'>

export interface BrainInput {
  market: BrainMarket
  book: BrainBook
  /** Already read by the brain's schema, defaults filled in. */
  params: Record<string, unknown>
  state: Record<string, unknown> | null
  limits: BrainLimits
  intervalS: number
}

export interface RuleBrain {
  name: RuleBrainName
  summary: string
  paramsSchema: TSchema
  /** What the schema cannot say; undefined when the params are fine. */
  paramsProblem?(params: Record<string, unknown>): { field: string; message: string } | undefined
  /** What only the agent's pairs can tell of its params; undefined when they fit. */
  pairsProblem?(
    params: Record<string, unknown>,
    pairs: readonly string[],
  ): { field: string; message: string } | undefined
  /** How far back `PairNow.history` has to reach for these params. */
  historyS(params: Record<string, unknown>): number
  decide(input: BrainInput): Decision
}
