import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export interface Cache<K, V> {
  /** What is kept and fresh. */
  get(key: K): V | undefined
  /** What was kept last, however old, unless it was pushed out; `atMs` is when its read began. */
  latest(key: K): { value: V; atMs: number } | undefined
  /** What is kept and fresh, at once; else what `read` answers, which is shared by all who ask meanwhile. */
  load(key: K, read: (key: K) => Promise<V>): V | Promise<V>
  set(key: K, value: V): void
  /** Reads of it that are under way answer whoever waits for them, and are not kept. */
  delete(key: K): void
  /** The same for all that match; what is being read may match, so none of it is kept. */
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
 * The bounded cache: the least recently used entry is pushed out first, one read serves all who ask at once,
 * and a failed read is not kept. Age counts from before the read; a clock set back makes every entry old.
 */
export function createCache<K extends NonNullable<unknown>, V>({
  max,
  ...age
}: { max: number } & (
  | { ttlMs?: undefined }
  /** As a function of the value: some are kept longer than others, and for 0 ms not at all. */
  | { ttlMs: number | ((value: V) => number); clock: Clock }
)): Cache<K, V> {
  const entries = new LRUCache<K, Entry<V>>({ max })
  const underWay = new Map<K, Promise<V>>()
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
      const asked = underWay.get(key)
      if (asked !== undefined) return asked
      const atMs = nowMs()
      // Whether it is still this read that counts: what was deleted or set meanwhile stands.
      const counts = () => underWay.get(key) === asking && underWay.delete(key)
      const asking = read(key).then(
        (value) => {
          if (counts()) keep(key, value, atMs)
          return value
        },
        (error) => {
          counts()
          throw error
        },
      )
      underWay.set(key, asking)
      return asking
    },
    set(key, value) {
      underWay.delete(key)
      keep(key, value, nowMs())
    },
    delete(key) {
      underWay.delete(key)
      entries.delete(key)
    },
    deleteWhere(matches) {
      underWay.clear()
      for (const [key, entry] of entries.entries()) if (matches(entry.value, key)) entries.delete(key)
    },
    clear() {
      underWay.clear()
      entries.clear()
    },
    size: () => entries.size,
  }
}
