/** One relayed transaction of the entrant's wallet that was mined in the season. */
export interface BookTrade {
  id: number
  minedAtS: number
  block: number
  /** Null for what only cost gas: an approval, or a swap that reverted. */
  swap: { tokenIn: string; tokenOut: string; amountIn: bigint; amountOut: bigint } | null
  /** As the receipt shows; null when that is lost. */
  gasWei: bigint | null
}

/**
 * A season's book. It starts empty: what a trade sells and the book does not hold is brought in at its mark,
 * and is the capital at work. Tokens without a mark count at what they cost.
 */
export interface Book {
  held: Map<string, bigint>
  /** Tokens without a mark. The cost is null when what paid for them could not be valued. */
  unmarked: Map<string, { atoms: bigint; costMicroUsd: bigint | null }>
  /**
   * By token, what its holding was worth when the wallet was last seen to hold it. What was brought in since
   * counts as it was brought in, and a swap carries it over: no gain is in it that no sample has seen.
   */
  basis: Map<string, bigint>
  broughtMicroUsd: bigint
  /** What left the wallet other than by its trades: taken out of the book, and off what was brought in. */
  leftMicroUsd: bigint
  /** The most that was at work at a time: what was brought in, less what had left. */
  capitalMicroUsd: bigint
  /** What the last sample saw in the wallet, and what left before any sample saw it. */
  seenMicroUsd: bigint
  unseenMicroUsd: bigint
  gasWei: bigint
  trades: number
  /** Days with a trade, counted from 1970. */
  days: Set<number>
  /** Transactions whose gas is not known: a person judges whether that matters. */
  unknownGas: number
  /** Those that brought in what could not be valued. */
  unvaluedTrades: number
  outliers: number
  /** What swaps between marked tokens gained beyond the marks of their minutes, net of losses. */
  overMarksMicroUsd: bigint
  /** What selling tokens without a mark brought beyond their cost, less what it lost. */
  unmarkedGainMicroUsd: bigint
  roundTrips: number
  /** The swap before, which the next one may take back. */
  last: { tokenIn: string; tokenOut: string; amountOut: bigint; atS: number } | null
  /** Full hours up to this one were looked at. */
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
