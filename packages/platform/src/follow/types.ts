export type Hex = `0x${string}`

export interface Header {
  number: number
  hash: Hex
  parentHash: Hex
  timestampS: number
  baseFeeWei: bigint
}

/** A log as the node gives it, its block number read. */
export interface ChainLog {
  address: Hex
  topics: Hex[]
  data: Hex
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  logIndex: number
}

/**
 * Consecutive blocks with their logs in order; `head` is the last of them. Usually one block; none, with `from` after
 * `head`, when following starts at a known block that still is the newest.
 */
export interface Chunk {
  from: number
  head: Header
  logs: ChainLog[]
}

/**
 * Who follows the chain. Calls come one at a time, in order; each is awaited. A listener that throws is called
 * again with the same chunk.
 */
export interface FollowListener {
  onChunk(chunk: Chunk): Promise<void> | void
  /**
   * Everything after block `number` is undone. Answers the block it could go back to, `number` or an earlier one;
   * reading goes on from there.
   */
  onReorg(number: number): Promise<number> | number
}

/** Thrown by a listener that has lost its place: everything is read again from the floor. */
export class StartAgain extends Error {}
