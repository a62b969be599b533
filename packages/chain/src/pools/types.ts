import type { LaunchpadKind } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import type { PoolKey } from '../router/types.ts'

/**
 * How much a tick holds: `gross` says whether it is in use, `net` is added when the price crosses it upwards.
 */
export type Tick = { gross: bigint; net: bigint }

/** The common part of v3 and v4 pools: liquidity between ticks. In memory, changed in place by logs. */
export type Concentrated = {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  tickSpacing: number
  ticks: Map<number, Tick>
  /**
   * Which ticks are in use: by word as the contract has it, a word as eight numbers of 32 bits, lowest first.
   */
  bitmap: Map<number, Uint32Array>
}

/**
 * Tokens are lower-case addresses, the first sorting before the second; native ETH is the all-zero address.
 */
export type V2Pool = {
  version: 'v2'
  /** Lower-case address. */
  id: Address
  token0: Address
  token1: Address
  reserve0: bigint
  reserve1: bigint
  feeBps: number
}

export type V3Pool = Concentrated & {
  version: 'v3'
  /** Lower-case address. */
  id: Address
  token0: Address
  token1: Address
  /** Hundredths of a basis point. */
  feePips: number
}

export type V4Pool = Concentrated & {
  version: 'v4'
  /** The hash of its key. */
  id: Hex
  token0: Address
  token1: Address
  key: PoolKey
  /** The current fee; a dynamic fee has no log and must be read again. */
  lpFeePips: number
  /** Both directions in one number, as the pool manager keeps it. */
  protocolFee: number
}

export type CurvePool = {
  version: 'curve'
  /** Whose contract it is: its logs, calls and roundings are that launchpad's. */
  launchpad: LaunchpadKind
  /** Lower-case address of the curve. */
  id: Address
  /** The launched token. */
  token: Address
  /** The token it is bought with; native ETH is the all-zero address. */
  pair: Address
  /** Reserves with their virtual part. */
  x: bigint
  y: bigint
  /** The value of y once the last token is sold. */
  yFloor: bigint
  /** How many tokens it had for sale at its start. */
  saleSupply: bigint
  curveFeeBps: number
  creatorTaxBps: number
  snipeStartBps: number
  snipeSeconds: number
  launchedAtS: number
  graduated: boolean
}

/** Pools that a router call can go through. */
export type Pool = V2Pool | V3Pool | V4Pool

export type SwapResult = {
  amountIn: bigint
  amountOut: bigint
  /** False when the pool ran out before the whole amount was swapped; amounts are then what it could do. */
  filled: boolean
  sqrtPriceX96: bigint
  ticksCrossed: number
  /** Steps of the contract's loop, words without a tick included: what its gas grows with. */
  steps: number
}
