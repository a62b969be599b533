import { drawsFor } from './random.ts'
import type { Asset } from './types.ts'

const YEAR_S = 365 * 24 * 3600
/**
 * Speed of mean reversion: half the way in about a day, so that prices stay near the initial world for weeks.
 */
const HOMING_PER_S = Math.log(2) / (24 * 3600)

export interface WalkTerms {
  seed: string
  /** Seconds of market time a block stands for. */
  blockS: number
}

/**
 * The next price of an asset: lognormal steps drawn from (seed, symbol, block), pulled gently to its anchor.
 */
export function stepPrice(
  terms: WalkTerms,
  asset: Asset,
  price: number,
  anchor: number,
  block: bigint,
): number {
  const sigma = asset.volatility * Math.sqrt(terms.blockS / YEAR_S)
  const home = Math.log(anchor / price) * Math.min(1, HOMING_PER_S * terms.blockS)
  const { normal } = drawsFor(terms.seed, `walk:${asset.symbol}`, block)
  return price * Math.exp(home - (sigma * sigma) / 2 + sigma * normal())
}

export type StockSession = 'hours' | 'always'

/** Stock feeds and prices stand still outside the session. */
export const moves = (
  asset: Asset,
  { session, isOpen }: { session: StockSession; isOpen: (atMs: number) => boolean },
  atS: bigint,
): boolean => asset.feed?.session !== 'stock' || session === 'always' || isOpen(Number(atS) * 1000)

export interface PublishTerms {
  deviationBps: number
  /** Maximum age of a feed while its asset moves. */
  heartbeatS: number
}

/** Chainlink's rule: publish when the price has moved far enough from the last round, or the round is old. */
export function shouldPublish(
  terms: PublishTerms,
  published: { price: number; atS: bigint },
  price: number,
  nowS: bigint,
): boolean {
  if (nowS - published.atS >= BigInt(terms.heartbeatS)) return true
  return Math.abs(price / published.price - 1) * 10_000 >= terms.deviationBps
}
