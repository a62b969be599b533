import type { BucketId } from '@pit/protocol'
import { type Limiter, PASSED, type Rates, ROUNDING_MS, refused, type Taken, type Taking } from './limiter.ts'

/** `fullAtMs` is when the bucket is full again. An entry in the past can be dropped. */
interface Entry {
  fullAtMs: number
}

interface BucketEntries {
  entries: Map<string, Entry>
  /** Position of the sweep for full buckets. */
  cursor: IterableIterator<[string, Entry]>
}

/** Synchronous. */
export interface MemoryLimiter extends Limiter {
  take(takings: readonly Taking[], nowMs: number): Taken
  peek(takings: readonly Taking[], nowMs: number): Taken
  size(): number
}

/** GCRA in this process. Each new entry sweeps two old ones, so memory stays bounded. */
export function createMemoryLimiter({
  rates,
  maxEntriesPerBucket = 200_000,
}: {
  rates: Rates
  maxEntriesPerBucket?: number
}): MemoryLimiter {
  const byBucket = new Map<BucketId, BucketEntries>()

  function entriesOf(bucket: BucketId): BucketEntries {
    let bucketEntries = byBucket.get(bucket)
    if (bucketEntries === undefined) {
      const entries = new Map<string, Entry>()
      bucketEntries = { entries, cursor: entries.entries() }
      byBucket.set(bucket, bucketEntries)
    }
    return bucketEntries
  }

  function sweep(kept: BucketEntries, nowMs: number, count: number): void {
    for (let i = 0; i < count; i++) {
      const next = kept.cursor.next()
      if (next.done) {
        kept.cursor = kept.entries.entries()
        return
      }
      if (next.value[1].fullAtMs <= nowMs) kept.entries.delete(next.value[0])
    }
  }

  function entryOf(taking: Taking, nowMs: number): Entry {
    const bucketEntries = entriesOf(taking.bucket)
    let entry = bucketEntries.entries.get(taking.id)
    if (entry === undefined) {
      sweep(bucketEntries, nowMs, 2)
      if (bucketEntries.entries.size >= maxEntriesPerBucket) {
        sweep(bucketEntries, nowMs, 64)
        const oldest = bucketEntries.entries.keys().next()
        if (bucketEntries.entries.size >= maxEntriesPerBucket && !oldest.done)
          bucketEntries.entries.delete(oldest.value)
      }
      entry = { fullAtMs: nowMs }
      bucketEntries.entries.set(taking.id, entry)
    }
    return entry
  }

  /** Checks every bucket before any is drawn from; the longest wait counts. */
  function judge(takings: readonly Taking[], nowMs: number): Taken {
    let worst: Taking | null = null
    let worstMs = ROUNDING_MS
    for (const taking of takings) {
      const entry = byBucket.get(taking.bucket)?.entries.get(taking.id)
      const { intervalMs, capacityMs } = rates[taking.bucket]
      const fullAtMs = entry === undefined ? nowMs : clampFullAt(entry.fullAtMs, nowMs, capacityMs)
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
      const verdict = judge(takings, nowMs)
      if (!verdict.ok) return verdict
      for (const taking of takings) {
        const { intervalMs, capacityMs } = rates[taking.bucket]
        const entry = entryOf(taking, nowMs)
        entry.fullAtMs = clampFullAt(entry.fullAtMs, nowMs, capacityMs) + (taking.cost ?? 1) * intervalMs
      }
      return verdict
    },
    size: () => [...byBucket.values()].reduce((sum, kept) => sum + kept.entries.size, 0),
    close: async () => {},
  }
}

/** Clamped between full and empty, so that a clock set back locks no caller out. */
const clampFullAt = (fullAtMs: number, nowMs: number, capacityMs: number): number =>
  fullAtMs <= nowMs ? nowMs : Math.min(fullAtMs, nowMs + capacityMs)
