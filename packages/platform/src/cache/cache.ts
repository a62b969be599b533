import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock/clock.ts'

export interface Cache<K, V> {
  /** The cached value while it is fresh. */
  get(key: K): V | undefined
  /** The last cached value, even if stale, unless it was evicted; `atMs` is when its read began. */
  latest(key: K): { value: V; atMs: number } | undefined
  /** The fresh value without a promise; otherwise the result of `read`, shared by concurrent callers. */
  load(key: K, read: (key: K) => Promise<V>): V | Promise<V>
  set(key: K, value: V): void
  /** Reads in progress still resolve for their callers, but are not cached. */
  delete(key: K): void
  /** Deletes matching entries. Reads in progress may match, so none of them is cached. */
  deleteWhere(matches: (value: V, key: K) => boolean): void
  clear(): void
  size(): number
}

interface Entry<V> {
  value: V
  atMs: number
  untilMs: number
}

/**
 * Bounded LRU cache. Concurrent callers share one read, and a failed read is not cached. Age counts from the
 * start of the read; setting the clock back expires every entry.
 */
export function createCache<K extends NonNullable<unknown>, V>({
  max,
  ...age
}: { max: number } & (
  | { ttlMs?: undefined }
  /** A function of the value for individual lifetimes; 0 ms means do not cache. */
  | { ttlMs: number | ((value: V) => number); clock: Clock }
)): Cache<K, V> {
  const entries = new LRUCache<K, Entry<V>>({ max })
  const pendingReads = new Map<K, Promise<V>>()
  const nowMs = () => (age.ttlMs === undefined ? 0 : age.clock.nowMs())
  const ttlOf = (value: V): number => {
    if (age.ttlMs === undefined) return Number.POSITIVE_INFINITY
    return typeof age.ttlMs === 'number' ? age.ttlMs : age.ttlMs(value)
  }

  function fresh(key: K): Entry<V> | undefined {
    const entry = entries.get(key)
    if (entry === undefined || entry.untilMs === Number.POSITIVE_INFINITY) return entry
    const now = nowMs()
    return now >= entry.atMs && now < entry.untilMs ? entry : undefined
  }

  function keep(key: K, value: V, atMs: number): void {
    const ttlMs = ttlOf(value)
    if (ttlMs > 0) entries.set(key, { value, atMs, untilMs: atMs + ttlMs })
    else entries.delete(key)
  }

  return {
    get: (key) => fresh(key)?.value,
    latest: (key) => entries.peek(key),
    load(key, read) {
      const entry = fresh(key)
      if (entry !== undefined) return entry.value
      const pendingRead = pendingReads.get(key)
      if (pendingRead !== undefined) return pendingRead
      const atMs = nowMs()
      // False if the key was deleted or set while this read ran.
      const isCurrent = () => pendingReads.get(key) === pending && pendingReads.delete(key)
      const pending = read(key).then(
        (value) => {
          if (isCurrent()) keep(key, value, atMs)
          return value
        },
        (error) => {
          isCurrent()
          throw error
        },
      )
      pendingReads.set(key, pending)
      return pending
    },
    set(key, value) {
      pendingReads.delete(key)
      keep(key, value, nowMs())
    },
    delete(key) {
      pendingReads.delete(key)
      entries.delete(key)
    },
    deleteWhere(matches) {
      pendingReads.clear()
      for (const [key, entry] of entries.entries()) if (matches(entry.value, key)) entries.delete(key)
    },
    clear() {
      pendingReads.clear()
      entries.clear()
    },
    size: () => entries.size,
  }
}
