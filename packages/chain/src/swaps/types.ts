import type { Address, Hex } from '../bytes/hex.ts'
import type { PermitSingle, PoolKey, RouterCommand } from '../router/types.ts'

/** A hop as calldata names it: the router finds the pool by tokens and fee, or by key. */
export type HopPath =
  | { version: 'v2'; tokenIn: Address; tokenOut: Address }
  | { version: 'v3'; tokenIn: Address; tokenOut: Address; feePips: number }
  | { version: 'v4'; tokenIn: Address; tokenOut: Address; key: PoolKey }
export type LegPath = { hops: readonly HopPath[]; amountIn: bigint }

/** The fee a call pays to the service. Null: no fee, or one that rounds to zero. */
export type FeeReading =
  | {
      side: 'input'
      recipient: Address
      /** The exact amount sent, to compare with a rate. */
      amount: bigint
      /** The lowest rate that gives this amount; for a tiny trade higher ones may give it too. */
      bps: number
    }
  | { side: 'output'; recipient: Address; amount: null; bps: number }

/** Everything a router call contains. Not included: the tokens' behaviour, and the caller. */
export type SwapReading = {
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  /** The exact value of the transaction: a surplus would stay in the router. */
  valueWei: bigint
  legs: readonly LegPath[]
  amountOutMin: bigint
  /**
   * The last swap pays the caller itself: the minimum is the pool's word, not what a sweep of the router
   * found.
   */
  direct: boolean
  fee: FeeReading | null
  permit: { permit: PermitSingle; signature: Hex } | null
  deadlineS: bigint
  commands: readonly RouterCommand[]
}
