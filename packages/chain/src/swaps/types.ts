import type { Address, Hex } from '../bytes/hex.ts'
import type { PermitSingle, PoolKey, RouterCommand } from '../router/types.ts'

/** A hop as calldata names it: the router finds the pool by tokens and fee, or by key. */
export type HopPath =
  | { version: 'v2'; tokenIn: Address; tokenOut: Address }
  | { version: 'v3'; tokenIn: Address; tokenOut: Address; feePips: number }
  | { version: 'v4'; tokenIn: Address; tokenOut: Address; key: PoolKey }
export type LegPath = { hops: readonly HopPath[]; amountIn: bigint }

/**
 * What a call pays the service. Null stands for nothing at all: no rate, or one that rounds down to nothing.
 */
export type FeeReading =
  | {
      side: 'input'
      recipient: Address
      /** Exactly what is sent: this is what to hold against a rate. */
      amount: bigint
      /** The least rate that gives this amount; for a tiny trade higher ones may give it too. */
      bps: number
    }
  | { side: 'output'; recipient: Address; amount: null; bps: number }

/** All that a router call of ours says. What it does not say: the tokens' own behaviour, and who calls. */
export type SwapReading = {
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  /** What the transaction must carry, exactly: more would be left in the router. */
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
