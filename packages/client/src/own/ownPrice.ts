/** Micro-dollars an atom is worth, and how far the service's price may lie from it. */
export interface OwnPrice {
  num: bigint
  den: bigint
  bandBps?: bigint
}

/** Prices of a token by the client's own node; equal if it has a mark. */
export interface OwnPrices {
  /** Of a small sale at the best venue. */
  bid: OwnPrice
  /** Of a small purchase at the best venue. */
  ask: OwnPrice
}

/** A size in dollars is atoms at a price a moment old. */
export const SIZE_BAND_BPS = 300n
/** Prices out of pools differ more than those of feeds do. */
export const POOL_BAND_BPS = 1_000n

export const poolPrice = (microUsd: bigint, atoms: bigint): OwnPrice => ({
  num: microUsd,
  den: atoms,
  bandBps: POOL_BAND_BPS,
})

const isBidDearer = ({ bid, ask }: OwnPrices): boolean => bid.num * ask.den > ask.num * bid.den

/**
 * Bounds what an amount can be worth.
 * @public
 */
export const dearer = (prices: OwnPrices): OwnPrice => (isBidDearer(prices) ? prices.bid : prices.ask)
export const cheaper = (prices: OwnPrices): OwnPrice => (isBidDearer(prices) ? prices.ask : prices.bid)
