import type { Address, Hex, Hop, HopPath, LegPath, PermitSingle, RouterLayout } from '@pit/chain'

type WithPool<H> = H extends { version: 'v4' } ? H & { pool: Hex } : H & { pool: Address }
/** One pool of a planned trade and the way through it, without its state: what calldata is made of. */
export type PlanHop = WithPool<HopPath>

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
   * The last swap pays the caller itself, where one leg ends in the output and no portion is taken of it.
   * Only for an output whose transfers are known to be plain: v3 and v4 judge what they sent and v2 what the
   * caller has more, so neither sees what a tax takes. Otherwise everything ends at the router, and what
   * arrived there is judged.
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

/** A plan without what calldata does not say. */
export type SwapPath = Omit<SwapPlan, 'legs'> & { legs: readonly LegPath[] }

export function planHopOf({ pool, tokenIn, tokenOut }: Hop): PlanHop {
  if (pool.version === 'v2') return { version: 'v2', pool: pool.id, tokenIn, tokenOut }
  if (pool.version === 'v3') return { version: 'v3', pool: pool.id, tokenIn, tokenOut, feePips: pool.feePips }
  return { version: 'v4', pool: pool.id, tokenIn, tokenOut, key: pool.key }
}
