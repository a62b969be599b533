import type { Check, PricedRoute, TradeQuote, WalletState } from '../types.ts'

/** Input of the policy besides the quote. Rules about an absent field do not run. */
export interface PolicyContext {
  /** Severe risks the owner accepts. Unknown codes have no effect. */
  acceptRisks: readonly string[]
  /** The route to check; by default the best that can be built. */
  route?: PricedRoute
  /** The requested dollars, if the size was given in dollars. */
  notionalUsd?: number
  maxFeeBps?: number
  /** The owner's own floor. */
  minAmountOut?: bigint
  /** Whether the owner attests not to be a US person; absent on a quote. */
  attestsNonUs?: boolean
  approval?: { mode: string; budgetUsd: number; allowUnlimited: boolean }
  /** A real wallet's state. */
  wallet?: WalletState
  /** Spender of the input's approval; Permit2 unless a curve is traded. */
  approves?: 'permit2' | 'curve'
}

/** Runs every applicable rule in order. The first refusing rule that fails is the response. */
export type CheckPolicy = (quote: TradeQuote, context: PolicyContext) => Check[]
