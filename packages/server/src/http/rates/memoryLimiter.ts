import type { BucketId } from '@pit/protocol'
import { type Limiter, PASSED, type Rates, ROUNDING_MS, refused, type Taken, type Taking } from './limiter.ts'

/** When the bucket will be full again; in the past: it is full, and the entry says nothing. */
interface Entry {
  fullAtMs: number
}

interface Shelf {
  entries: Map<string, Entry>
  /** Where the sweep for full buckets goes on. */
  cursor: IterableIterator<[string, Entry]>
}

/** Answers at once. */
export interface MemoryLimiter extends Limiter {
  take(takings: readonly Taking[], nowMs: number): Taken
  peek(takings: readonly Taking[], nowMs: number): Taken
  size(): number
}

/** GCRA in this process. Bounded: each new entry lets two old ones be looked at, and full buckets go. */
export function createMemoryLimiter({
  rates,
  maxEntriesPerBucket = 200_000,
}: {
  rates: Rates
  maxEntriesPerBucket?: number
}): MemoryLimiter {
  const shelves = new Map<BucketId, Shelf>()

  function shelfOf(bucket: BucketId): Shelf {
    let shelf = shelves.get(bucket)
    if (shelf === undefined) {
      const entries = new Map<string, Entry>()
      shelf = { entries, cursor: entries.entries() }
      shelves.set(bucket, shelf)
    }
    return shelf
  }

  function sweep(shelf: Shelf, nowMs: number, looks: number): void {
    for (let look = 0; look < looks; look++) {
      const next = shelf.cursor.next()
      if (next.done) {
        shelf.cursor = shelf.entries.entries()
        return
      }
      if (next.value[1].fullAtMs <= nowMs) shelf.entries.delete(next.value[0])
    }
  }

  function entryOf(taking: Taking, nowMs: number): Entry {
    const shelf = shelfOf(taking.bucket)
    let entry = shelf.entries.get(taking.id)
    if (entry === undefined) {
      sweep(shelf, nowMs, 2)
      if (shelf.entries.size >= maxEntriesPerBucket) {
        sweep(shelf, nowMs, 64)
        const oldest = shelf.entries.keys().next()
        if (shelf.entries.size >= maxEntriesPerBucket && !oldest.done) shelf.entries.delete(oldest.value)
      }
      entry = { fullAtMs: nowMs }
      shelf.entries.set(taking.id, entry)
    }
    return entry
  }

  /** Looks at every bucket before any is touched; the longest wait answers. */
  function judge(takings: readonly Taking[], nowMs: number): Taken {
    let worst: Taking | null = null
    let worstMs = ROUNDING_MS
    for (const taking of takings) {
      const entry = shelves.get(taking.bucket)?.entries.get(taking.id)
      const { intervalMs, capacityMs } = rates[taking.bucket]
      const fullAtMs = entry === undefined ? nowMs : held(entry.fullAtMs, nowMs, capacityMs)
      const waitMs = fullAtMs + (taking.cost ?? 1) * intervalMs - capacityMs - nowMs
      if (waitMs > worstMs) {
        worstMs = waitMs
        worst = taking
      }
    }
    return worst === null ? PASSED : refused(worst.bucket, rates[worst.bucket], worstMs)
  }

  return {
    peek: judge,
    take(takings, nowMs) {
      const taken = judge(takings, nowMs)
      if (!taken.ok) return taken
      for (const taking of takings) {
        const { intervalMs, capacityMs } = rates[taking.bucket]
        const entry = entryOf(taking, nowMs)
        entry.fullAtMs = held(entry.fullAtMs, nowMs, capacityMs) + (taking.cost ?? 1) * intervalMs
      }
      return taken
    },
    size: () => [...shelves.values()].reduce((sum, shelf) => sum + shelf.entries.size, 0),
    close: async () => {},
  }
}

/** Never before now, and never emptier than empty: a clock set back must not lock anyone out. */
const held = (fullAtMs: number, nowMs: number, capacityMs: number): number =>
  fullAtMs <= nowMs ? nowMs : Math.min(fullAtMs, nowMs + capacityMs)
