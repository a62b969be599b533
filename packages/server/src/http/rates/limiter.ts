import { BUCKETS, type BucketId } from '@pit/protocol'

/** One bucket a request draws from. */
export interface Taking {
  bucket: BucketId
  /** Whose: a key's id, a client network, or `*` for all. */
  id: string
  /** Tokens, 1 unless told. */
  cost?: number
}

export type Taken = { ok: true } | { ok: false; bucket: BucketId; retryAfterS: number }

/** Token buckets. All buckets of one call are drawn from together, or none is. */
export interface Limiter {
  take(takings: readonly Taking[], nowMs: number): Taken | Promise<Taken>
  /** Whether `take` would pass now; draws nothing. */
  peek(takings: readonly Taking[], nowMs: number): Taken | Promise<Taken>
  close(): Promise<void>
}

/** A bucket as GCRA sees it: a token comes back every `intervalMs`, a full bucket holds `capacityMs` worth. */
export interface Rate {
  readonly intervalMs: number
  readonly capacityMs: number
  /** Answered instead of the computed wait. */
  readonly retryAfterS: number | null
}
export type Rates = Readonly<Record<BucketId, Rate>>

/** The table's numbers under this server's settings; at scale 1 they are exactly the table's. */
export function ratesOf({ scale, overallFactor }: { scale: number; overallFactor: number }): Rates {
  const rates = Object.entries(BUCKETS).map(([id, bucket]): [string, Rate] => {
    const times = scale * (bucket.per === 'overall' && !('retryAfterS' in bucket) ? overallFactor : 1)
    const intervalMs = 1000 / (bucket.ratePerS * times)
    const retryAfterS = 'retryAfterS' in bucket ? (bucket.retryAfterS as number) : null
    return [id, { intervalMs, capacityMs: Math.max(1, bucket.burst * times) * intervalMs, retryAfterS }]
  })
  return Object.fromEntries(rates) as Record<BucketId, Rate>
}

/** Below this a wait is rounding, not time. */
export const ROUNDING_MS = 0.001

export const PASSED: Taken = { ok: true }

/** A client that waits exactly this long finds its token there. */
export const refused = (bucket: BucketId, rate: Rate, waitMs: number): Taken => ({
  ok: false,
  bucket,
  retryAfterS: rate.retryAfterS ?? Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1000)),
})
