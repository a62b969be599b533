import type { Address } from '../bytes/hex.ts'
import type { SwapResult } from '../pools/types.ts'
import { NATIVE } from '../router/constants.ts'
import type { GasCost, Hop } from './types.ts'

/** Measured shapes, rounded up: they rank routes and are never a transaction's limit. */
export const GAS = {
  /** The transaction itself, the router's loop, the fee's payment and the sweep. */
  base: 95_000,
  v2Hop: 75_000,
  v3Hop: 85_000,
  v4Hop: 70_000,
  /** Unlocking the pool manager, settling and taking, once for each run of v4 hops. */
  v4Unlock: 60_000,
  tickCrossed: 22_000,
  /** A further step of the loop that crosses nothing: QuoterV2 measures 27.9M gas for 3,663 of them. */
  emptyStep: 7_700,
  wrap: 30_000,
} as const

const WEI_PER_ETH = 10n ** 18n

export function hopGas(hop: Hop, swap: SwapResult): number {
  if (hop.pool.version === 'v2') return GAS.v2Hop
  const steps = Math.max(0, swap.steps - 1 - swap.ticksCrossed)
  const own = hop.pool.version === 'v3' ? GAS.v3Hop : GAS.v4Hop
  return own + swap.ticksCrossed * GAS.tickCrossed + steps * GAS.emptyStep
}

/** Everything but the hops: the start, runs of v4, and each change between ETH and WETH. */
export function frameGas(hops: readonly Hop[], tokenIn: Address, tokenOut: Address): number {
  let gas: number = GAS.base
  let held = tokenIn
  let before: string | undefined
  for (const hop of hops) {
    if (hop.tokenIn !== held) gas += GAS.wrap
    if (hop.pool.version === 'v4' && (before !== 'v4' || hop.tokenIn !== held)) gas += GAS.v4Unlock
    before = hop.pool.version
    held = hop.tokenOut
  }
  return held === tokenOut ? gas : gas + GAS.wrap
}

export function gasInOut(gas: number, cost: GasCost | undefined): bigint {
  return cost ? (BigInt(gas) * cost.gasPriceWei * cost.outAtomsPerEth) / WEI_PER_ETH : 0n
}

/** ETH and WETH count as one token in a route: the router turns one into the other on the way. */
export function asWeth(token: Address, weth: Address): Address {
  return token === NATIVE ? weth : token
}
