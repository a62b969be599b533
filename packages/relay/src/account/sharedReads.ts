import type { Clock } from '@pit/platform/clock'

interface Reading<T> {
  value: T
  readAtMs: number
}

export interface SharedReads<T> {
  /** What was read at most `keepMs` ago, or what is read now: one read for all who ask meanwhile. */
  get(key: string): Promise<{ value: T; reused: boolean }>
  /** The last reading, however old, unless it was pushed out. */
  latest(key: string): Reading<T> | undefined
}

/** Readings of this process, the least recently used pushed out first. A failed read is not kept. */
export function createSharedReads<T>({
  clock,
  keepMs,
  max,
  read,
}: {
  clock: Clock
  keepMs: number
  max: number
  read(key: string): Promise<T>
}): SharedReads<T> {
  const kept = new Map<string, Reading<T>>()
  const underWay = new Map<string, Promise<{ value: T; reused: boolean }>>()

  function keep(key: string, reading: Reading<T>): void {
    // Deleted first: the map's order is by last use.
    kept.delete(key)
    kept.set(key, reading)
    if (kept.size <= max) return
    const [oldest] = kept.keys()
    if (oldest !== undefined) kept.delete(oldest)
  }

  async function readNow(key: string): Promise<{ value: T; reused: boolean }> {
    const value = await read(key)
    keep(key, { value, readAtMs: clock.nowMs() })
    return { value, reused: false }
  }

  return {
    async get(key) {
      const reading = kept.get(key)
      const ageMs = reading ? clock.nowMs() - reading.readAtMs : Number.POSITIVE_INFINITY
      // A clock set back makes the age negative: read again.
      if (reading && ageMs >= 0 && ageMs < keepMs) {
        keep(key, reading)
        return { value: reading.value, reused: true }
      }
      let reads = underWay.get(key)
      if (reads === undefined) {
        reads = readNow(key).finally(() => underWay.delete(key))
        underWay.set(key, reads)
      }
      return reads
    },
    latest: (key) => kept.get(key),
  }
}
