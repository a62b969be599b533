import type { ChainLog, Header } from '../reads/index.ts'

export type Hex = `0x${string}`

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
  onChunk(chunk: Chunk): Promise<void> | void
  /**
   * Everything after block `number` is undone. Answers the block it could go back to, `number` or an earlier
   * one; reading goes on from there.
   */
  onReorg(number: number): Promise<number> | number
}

/** Thrown by a listener that has lost its place: everything is read again from the floor. */
export class StartAgain extends Error {}
