import type { Address, Hex } from '../bytes/hex.ts'
import type { PermitSingle, PoolKey, RouterCommand, RouterLayout } from '../router/types.ts'

/** One pool of a planned trade and the way through it, without its state: what calldata is made of. */
export type PlanHop =
  | { version: 'v2'; pool: Address; tokenIn: Address; tokenOut: Address }
  | { version: 'v3'; pool: Address; tokenIn: Address; tokenOut: Address; feePips: number }
  | { version: 'v4'; pool: Hex; tokenIn: Address; tokenOut: Address; key: PoolKey }

/** The service's fee: floor(amount × bps / 10,000) of the amount at its side, to one recipient. */
export type SwapFee = { bps: number; side: 'input' | 'output'; recipient: Address }

/** Everything a Universal Router call of ours is made of. The same plan always gives the same bytes. */
export type SwapPlan = {
  /** Native ETH is the all-zero address; ETH and WETH are different tokens here. */
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  /** Amounts add up to `amountIn` less an input-side fee. */
  legs: readonly { hops: readonly PlanHop[]; amountIn: bigint }[]
  /** The least that reaches the caller, after an output-side fee. */
  amountOutMin: bigint
  /**
   * The last swap pays the caller itself, where one leg ends in the output and no portion is taken of it. Only for an
   * output whose transfers are known to be plain: v3 and v4 judge what they sent and v2 what the caller has more, so
   * neither sees what a tax takes. Otherwise everything ends at the router, and what arrived there is judged.
   */
  direct: boolean
  fee: SwapFee
  /** For an ERC-20 input the router has no allowance for. */
  permit?: { permit: PermitSingle; signature: Hex }
  deadlineS: bigint
  /** All zero where there is none: ETH then stands for itself. */
  weth: Address
  layout?: RouterLayout
}

type WithoutPool<H> = H extends PlanHop ? Omit<H, 'pool'> : never
/** A hop as calldata names it: the router finds the pool by tokens and fee, or by key. */
export type HopPath = WithoutPool<PlanHop>
export type LegPath = { hops: readonly HopPath[]; amountIn: bigint }
/** A plan without what calldata does not say. */
export type SwapPath = Omit<SwapPlan, 'legs'> & { legs: readonly LegPath[] }

/** What a call pays the service. Null stands for nothing at all: no rate, or one that rounds down to nothing. */
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
  /** The last swap pays the caller itself: the minimum is the pool's word, not what a sweep of the router found. */
  direct: boolean
  fee: FeeReading | null
  permit: { permit: PermitSingle; signature: Hex } | null
  deadlineS: bigint
  commands: readonly RouterCommand[]
}
