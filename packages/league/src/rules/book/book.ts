/** One relayed transaction of the entrant's wallet that was mined in the season. */
export interface BookTrade {
  id: number
  minedAtS: number
  block: number
  /** Null for a transaction that only cost gas: an approval, or a swap that reverted. */
  swap: { tokenIn: string; tokenOut: string; amountIn: bigint; amountOut: bigint } | null
  /** As the receipt shows; null when that is lost. */
  gasWei: bigint | null
}

/**
 * A season's book. It starts empty: an amount that a trade sells and the book does not hold is brought in at
 * its mark, as capital at work. Tokens without a mark count at cost.
 */
export interface Book {
  held: Map<string, bigint>
  /** Tokens without a mark. The cost is null when what paid for them could not be valued. */
  unmarked: Map<string, { atoms: bigint; costMicroUsd: bigint | null }>
  /**
   * By token, the value of its holding at the last sample. Later additions count at the value they were
   * brought in at, and a swap carries the basis over, so it never contains a gain that no sample has seen.
   */
  basis: Map<string, bigint>
  broughtMicroUsd: bigint
  /**
   * Value that left the wallet other than by its trades: removed from the book and from what was brought in.
   */
  leftMicroUsd: bigint
  /** The highest capital at work at any time: brought in less left. */
  capitalMicroUsd: bigint
  /** Value in the wallet at the last sample, and value that left before any sample saw it. */
  seenMicroUsd: bigint
  unseenMicroUsd: bigint
  gasWei: bigint
  trades: number
  /** Days with a trade, counted from 1970. */
  days: Set<number>
  /** Transactions with unknown gas cost, for manual review. */
  unknownGas: number
  /** Trades that brought in an amount that could not be valued. */
  unvaluedTrades: number
  outliers: number
  /** Gain of swaps between marked tokens beyond the marks of their minutes, net of losses. */
  overMarksMicroUsd: bigint
  /** Gain from selling tokens without a mark above their cost, net of losses. */
  unmarkedGainMicroUsd: bigint
  roundTrips: number
  /** The previous swap, to detect round trips. */
  last: { tokenIn: string; tokenOut: string; amountOut: bigint; atS: number } | null
  /** Full hours up to this one were sampled. */
  sampledToS: number
  peakMicroUsd: bigint
  maxDrawdownBps: number
  /** The last transaction that was applied. */
  cursor: TradeOrder | null
}

export interface TradeOrder {
  minedAtS: number
  block: number
  id: number
}

export const emptyBook = (startsAtS: number): Book => ({
  held: new Map(),
  unmarked: new Map(),
  basis: new Map(),
  broughtMicroUsd: 0n,
  leftMicroUsd: 0n,
  capitalMicroUsd: 0n,
  seenMicroUsd: 0n,
  unseenMicroUsd: 0n,
  gasWei: 0n,
  trades: 0,
  days: new Set(),
  unknownGas: 0,
  unvaluedTrades: 0,
  outliers: 0,
  overMarksMicroUsd: 0n,
  unmarkedGainMicroUsd: 0n,
  roundTrips: 0,
  last: null,
  sampledToS: startsAtS,
  peakMicroUsd: 0n,
  maxDrawdownBps: 0,
  cursor: null,
})

/** Trades count in the order the chain took them; inside a block, as they were relayed. */
export const inOrder = (a: TradeOrder, b: TradeOrder): number =>
  a.minedAtS - b.minedAtS || a.block - b.block || a.id - b.id
