import type { Address, Hex, Hop, HopPath, LegPath, PermitSingle, RouterLayout } from '@pit/chain'

type WithPool<H> = H extends { version: 'v4' } ? H & { pool: Hex } : H & { pool: Address }
/** One pool of a planned trade with its direction, without its state: the input of calldata. */
export type PlanHop = WithPool<HopPath>

/** The service's fee: floor(amount × bps / 10,000) of the amount on its side, to one recipient. */
export type SwapFee = { bps: number; side: 'input' | 'output'; recipient: Address }

/** All inputs of a Universal Router call. The same plan always gives the same bytes. */
export type SwapPlan = {
  /** Native ETH is the all-zero address; ETH and WETH are different tokens here. */
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  /** Amounts add up to `amountIn` less an input-side fee. */
  legs: readonly { hops: readonly PlanHop[]; amountIn: bigint }[]
  /** Minimum that reaches the caller, after an output-side fee. */
  amountOutMin: bigint
  /**
   * The last swap pays the caller directly, if one leg ends in the output and no portion is deducted. Only for
   * an output without transfer taxes: v3 and v4 check what they sent and v2 the change of the caller's balance,
   * so neither notices a tax. Otherwise everything ends at the router, where the arrived amount is checked.
   */
  direct: boolean
  fee: SwapFee
  /** For an ERC-20 input without an allowance for the router. */
  permit?: { permit: PermitSingle; signature: Hex }
  deadlineS: bigint
  /** All zero on a chain without WETH. */
  weth: Address
  layout?: RouterLayout
}

/** A plan without the data that calldata does not contain. */
export type SwapPath = Omit<SwapPlan, 'legs'> & { legs: readonly LegPath[] }

export function planHopOf({ pool, tokenIn, tokenOut }: Hop): PlanHop {
  if (pool.version === 'v2') return { version: 'v2', pool: pool.id, tokenIn, tokenOut }
  if (pool.version === 'v3') return { version: 'v3', pool: pool.id, tokenIn, tokenOut, feePips: pool.feePips }
  return { version: 'v4', pool: pool.id, tokenIn, tokenOut, key: pool.key }
}
