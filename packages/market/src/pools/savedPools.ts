import type { Db } from '@pit/platform/db'
import type { PendingSwaps } from '../candles/swapVolumes.ts'
import { writeCheckpoint } from './checkpoint.ts'
import type { PoolMemory } from './poolMemory.ts'

/** Keeps the stored pools up with those in memory. */
export interface SavedPools {
  /** The stored pools are those of this block. */
  startAt(block: number): void
  /** The stored pools are from another chain, or incomplete: the next save replaces them all. */
  replace(): void
  save(): Promise<void>
}

interface SavedPoolsDeps {
  db: Db
  memory: Pick<PoolMemory, 'book' | 'head' | 'knownPools' | 'unsaved' | 'wakingPools'>
  swaps: PendingSwaps
}

export function createSavedPools({ db, memory, swaps }: SavedPoolsDeps): SavedPools {
  const { book, knownPools, unsaved, wakingPools } = memory
  let savedAt = -1
  /** The block at which the store was last read or written. */
  let since = -1
  let anew = false

  async function save(): Promise<void> {
    const head = memory.head()
    // A pool without its state yet would be missing after a restart.
    if (head === null || head.number === savedAt || !wakingPools.isEmpty()) return
    const isWhole = anew
    const { changed, gone } = unsaved.take()
    const written = isWhole ? new Set(book.all()) : changed
    const made = knownPools.waiting()
    const at = { block: head.number, hash: head.hash }
    try {
      const changes = { changed: written, gone, since, made, swaps: swaps.all(), anew: isWhole }
      anew = !(await writeCheckpoint(db, at, changes))
      knownPools.written(made)
    } catch (error) {
      unsaved.putBack({ changed: written, gone }, book)
      throw error
    }
    if (anew) return save()
    swaps.dropUpTo(at.block)
    savedAt = at.block
    since = at.block
  }

  return {
    startAt(block) {
      since = block
      anew = false
    },
    replace() {
      anew = true
    },
    save,
  }
}
