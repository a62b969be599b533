import type { Check, PricedRoute, TradeQuote, WalletState } from '../types.ts'

/** What a trade is judged by beside its quote. Rules about an absent field do not run. */
export interface PolicyContext {
  /** Severe risks the owner accepts. Codes that nobody knows accept nothing. */
  acceptRisks: readonly string[]
  /** The route judged; the best that can be built when absent. */
  route?: PricedRoute
  /** The dollars asked for, when the size was given in dollars. */
  notionalUsd?: number
  maxFeeBps?: number
  /** The owner's own floor. */
  minAmountOut?: bigint
  /** Whether the owner attests not to be a US person; absent on a quote, which asks nobody. */
  attestsNonUs?: boolean
  approval?: { mode: string; budgetUsd: number; allowUnlimited: boolean }
  /** A real wallet's state. */
  wallet?: WalletState
  /** What the input would be approved to; Permit2 unless a curve is traded. */
  approves?: 'permit2' | 'curve'
}

/** Every rule that can run, in order. The first refusing one that fails is the answer. */
export type CheckPolicy = (quote: TradeQuote, context: PolicyContext) => Check[]
