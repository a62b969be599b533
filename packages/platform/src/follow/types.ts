import type { ChainLog, Header } from '../reads/index.ts'

export type Hex = `0x${string}`

/** A block of the chain; without a hash, the one before the first of interest. */
export interface Place {
  number: number
  hash: Hex | null
}

/**
 * Consecutive blocks with their logs in order; `head` is the last of them. Usually one block; none, with
 * `from` after `head`, if following starts at a known block that is still the newest.
 */
export interface Chunk {
  from: number
  head: Header
  logs: ChainLog[]
}

/**
 * Receives the chain. Calls come one at a time, in order, and are awaited. If a call throws, it is repeated
 * with the same chunk.
 */
export interface FollowListener {
  /** `isNewest`: the node had no later block when the chunk was read. */
  onChunk(chunk: Chunk, at: { isNewest: boolean }): Promise<void> | void
  /**
   * Undoes everything after `fork`; null if no remembered block is on the chain any more. Returns where to
   * resume: `fork`, or another block on the chain whose state the listener has.
   */
  onReorg(fork: Place | null): Promise<Place> | Place
  /** The chain is too far ahead to read every log. Returns where to resume. */
  onFar(latest: Header): Promise<Place> | Place
}
