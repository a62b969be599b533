import type { BookListener, PoolBook } from './poolBook.ts'
import type { AnyPool } from './poolLogs.ts'

export interface PoolChanges {
  changed: Set<AnyPool>
  /** Ids of pools that left memory. */
  gone: Set<string>
}

/** Differences between the pools in memory and the stored ones. */
export interface UnsavedPools extends BookListener {
  add(pool: AnyPool): void
  /** Hands the changes over; later ones are collected anew. */
  take(): PoolChanges
  /** Restores changes that could not be written, as far as they still apply. */
  putBack(changes: PoolChanges, book: Pick<PoolBook, 'get'>): void
  clear(): void
}

export function createUnsavedPools(): UnsavedPools {
  let changed = new Set<AnyPool>()
  let gone = new Set<string>()
  return {
    onBorn: (pool) => void gone.delete(pool.id),
    onGone(pool) {
      gone.add(pool.id)
      changed.delete(pool)
    },
    add: (pool) => void changed.add(pool),
    take() {
      const changes = { changed, gone }
      changed = new Set()
      gone = new Set()
      return changes
    },
    putBack(changes, book) {
      for (const pool of changes.changed) if (book.get(pool.id) === pool) changed.add(pool)
      for (const id of changes.gone) if (!book.get(id)) gone.add(id)
    },
    clear() {
      changed.clear()
      gone.clear()
    },
  }
}
