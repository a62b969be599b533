import type { Address, Hex } from '../bytes/hex.ts'
import type { Pool } from '../pools/types.ts'

/**
 * One pool of a route and the way through it. Tokens are the pool's own: ETH and WETH are not the same here.
 */
export type Hop = { pool: Pool; zeroForOne: boolean; tokenIn: Address; tokenOut: Address }

export type Route = {
  /** Hash of the path: the same pools in the same order always have the same id. */
  id: Hex
  hops: readonly Hop[]
}

export type RouteQuote = Route & {
  amountIn: bigint
  amountOut: bigint
  /** Output of each hop; the last is `amountOut`. */
  hopAmountsOut: readonly bigint[]
  /** Expected gas of the whole transaction. */
  gas: number
  /** `amountOut` less what that gas costs, in the token received; may be below zero. */
  netOut: bigint
}

/** One trade over several routes that share no pool; `splitIdOf` its legs names it. */
export type SplitQuote = {
  legs: readonly RouteQuote[]
  amountIn: bigint
  amountOut: bigint
  gas: number
  netOut: bigint
}

/** The cost of gas in the received token. Without it routes are ranked by output alone. */
export type GasCost = { gasPriceWei: bigint; outAtomsPerEth: bigint }

export type RouteRequest = {
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  gasCost?: GasCost
  /** 1 to 3; default 3. */
  maxHops?: number
}
