import type { ChainLog, Header } from '../reads/index.ts'

export type Hex = `0x${string}`

/** A block of the chain; without a hash, the one before anything of interest. */
export interface Place {
  number: number
  hash: Hex | null
}

/**
 * Consecutive blocks with their logs in order; `head` is the last of them. Usually one block; none, with
 * `from` after `head`, when following starts at a known block that still is the newest.
 */
export interface Chunk {
  from: number
  head: Header
  logs: ChainLog[]
}

/**
 * Who follows the chain. Calls come one at a time, in order; each is awaited. A listener that throws is
 * called again with the same chunk.
 */
export interface FollowListener {
  /** `isNewest`: the node had no later block when the chunk was read. */
  onChunk(chunk: Chunk, at: { isNewest: boolean }): Promise<void> | void
  /**
   * Everything after `fork` is undone; null when no block that is remembered is on the chain any more.
   * Answers where to go on: `fork`, or another block on the chain whose state the listener has.
   */
  onReorg(fork: Place | null): Promise<Place> | Place
  /** The chain is too far ahead to read every log up to it. Answers where to go on. */
  onFar(latest: Header): Promise<Place> | Place
}
