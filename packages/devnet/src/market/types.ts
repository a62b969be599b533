import type { LaunchpadKind } from '@pit/protocol'
import type { Hex } from '../engine/types.ts'

export const NATIVE: Hex = '0x0000000000000000000000000000000000000000'

/** An asset with a moving dollar price. Without a feed only the arbitrageur knows it. */
export interface Asset {
  symbol: string
  token: Hex
  decimals: number
  feed: AssetFeed | null
  /** Annual standard deviation: 0.6 is 60%. */
  volatility: number
  /** Mean-reversion target; the initial price if absent. */
  anchorUsd?: number
}

export interface AssetFeed {
  address: Hex
  decimals: number
  session: 'always' | 'stock'
  /** Publication rule: after this large a move, or this long. */
  deviationBps: number
  heartbeatS: number
}

/** A pool of any version. v4 has no address; its key is the two currencies, fee, spacing and hooks. */
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

/** The market's view of the world. */
export interface MarketWorld {
  assets: Asset[]
  pools: Pool[]
  curves: Curve[]
  /** The pool with PARTNER's price at the market's start. */
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
