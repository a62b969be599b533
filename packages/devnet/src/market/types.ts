import type { LaunchpadKind } from '@pit/protocol'
import type { Hex } from '../engine/types.ts'

export const NATIVE: Hex = '0x0000000000000000000000000000000000000000'

/** Something with a dollar price that walks. Without a feed the price is known to the arbitrageur alone. */
export interface Asset {
  symbol: string
  token: Hex
  decimals: number
  feed: AssetFeed | null
  /** A year's standard deviation: 0.6 is 60%. */
  volatility: number
  /** What the walk is drawn home to; the price at the start when absent. */
  anchorUsd?: number
}

export interface AssetFeed {
  address: Hex
  decimals: number
  session: 'always' | 'stock'
  /** When it publishes: after so big a move, or so long. */
  deviationBps: number
  heartbeatS: number
}

/**
 * A pool of any version. v4 has no address of its own; its key is the two currencies, fee, spacing and hooks.
 */
export interface Pool {
  version: 2 | 3 | 4
  address: Hex
  currency0: Hex
  currency1: Hex
  /** Hundredths of a basis point, as v3 and v4 write it; 3000 for v2. */
  fee: number
  tickSpacing: number
  hooks: Hex
}

export interface Curve {
  launchpad: LaunchpadKind
  address: Hex
  token: Hex
  /** ETH is zero. */
  pair: Hex
}

/** What the market must know of the world it trades in. */
export interface MarketWorld {
  assets: Asset[]
  pools: Pool[]
  curves: Curve[]
  /** The pool that says PARTNER's price when the market starts. */
  partnerPool: Pool | null
  contracts: {
    weth: Hex
    usdg: Hex
    permit2: Hex
    multicall3: Hex
    universalRouter: Hex
    v4PoolManager: Hex
    v4StateView: Hex
  }
}
