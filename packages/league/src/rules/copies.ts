import { BPS } from '@pit/protocol'
import { RULES } from './numbers.ts'

/** A swap of any entrant, for the detection of copy trading. */
export interface SeenSwap {
  entryId: number
  atS: number
  block: number
  id: number
  tokenIn: string
  tokenOut: string
}

export interface Copying {
  leaderId: number
  /** The follower's swaps that came right after the leader's. */
  followed: number
}

/**
 * Finds copy traders: for each entrant, the one whose swaps it repeats most often within the window, if that
 * is most of its own swaps and a good part of the leader's. Entrants are processed one after the other, so
 * memory stays small.
 */
export function findCopies(swaps: readonly SeenSwap[]): Map<number, Copying> {
  const sorted = [...swaps].sort((a, b) => a.atS - b.atS || a.block - b.block || a.id - b.id)
  const byPair = new Map<string, SeenSwap[]>()
  const byEntry = new Map<number, { swap: SeenSwap; position: number; pair: SeenSwap[] }[]>()
  for (const swap of sorted) {
    const key = `${swap.tokenIn} ${swap.tokenOut}`
    const pair = byPair.get(key) ?? []
    if (pair.length === 0) byPair.set(key, pair)
    const own = byEntry.get(swap.entryId) ?? []
    if (own.length === 0) byEntry.set(swap.entryId, own)
    own.push({ swap, position: pair.length, pair })
    pair.push(swap)
  }
  const copies = new Map<number, Copying>()
  for (const [entryId, own] of byEntry) {
    if (own.length < RULES.minCopies) continue
    const counts = new Map<number, number>()
    for (const { swap, position, pair } of own) {
      const seen = new Set<number>()
      for (let i = position - 1; i >= 0 && swap.atS - pair[i]!.atS <= RULES.copyWindowS; i--) {
        const leader = pair[i]!.entryId
        if (leader === entryId || seen.has(leader)) continue
        seen.add(leader)
        counts.set(leader, (counts.get(leader) ?? 0) + 1)
      }
    }
    const copying = mostFollowed(counts, own.length, (leader) => byEntry.get(leader)!.length)
    if (copying) copies.set(entryId, copying)
  }
  return copies
}

function mostFollowed(
  counts: ReadonlyMap<number, number>,
  ownSwaps: number,
  swapsOf: (leader: number) => number,
): Copying | null {
  let best: Copying | null = null
  for (const [leaderId, followed] of counts) {
    if (followed < RULES.minCopies) continue
    if (followed * BPS < ownSwaps * RULES.copyShareBps) continue
    if (followed * BPS < swapsOf(leaderId) * RULES.copiedShareBps) continue
    if (!best || followed > best.followed || (followed === best.followed && leaderId < best.leaderId))
      best = { leaderId, followed }
  }
  return best
}
