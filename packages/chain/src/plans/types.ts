import type { Address, Hex } from '../bytes/hex.ts'
import type { PermitSingle, PoolKey, RouterLayout } from '../router/types.ts'

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
  fee: SwapFee
  /** For an ERC-20 input the router has no allowance for. */
  permit?: { permit: PermitSingle; signature: Hex }
  deadlineS: bigint
  weth: Address
  layout?: RouterLayout
}
