import { BUCKETS, type BucketId } from '@pit/protocol'

/** One draw from one bucket. */
export interface Taking {
  bucket: BucketId
  /** Owner of the bucket: a key's id, a client network, or `*` for all callers together. */
  id: string
  /** Tokens; 1 by default. */
  cost?: number
}

export type Taken = { ok: true } | { ok: false; bucket: BucketId; retryAfterS: number }

/** Token buckets. A call draws from all its buckets or from none. */
export interface Limiter {
  take(takings: readonly Taking[], nowMs: number): Taken | Promise<Taken>
  /** Whether `take` would pass now, without drawing. */
  peek(takings: readonly Taking[], nowMs: number): Taken | Promise<Taken>
  close(): Promise<void>
}

/** A bucket under GCRA: a token returns every `intervalMs`; a full bucket holds `capacityMs` of them. */
export interface Rate {
  readonly intervalMs: number
  readonly capacityMs: number
  /** A fixed Retry-After instead of the computed wait. */
  readonly retryAfterS: number | null
}
export type Rates = Readonly<Record<BucketId, Rate>>

/** The rates of the bucket table, multiplied by this server's settings. */
export function ratesOf({ scale, overallFactor }: { scale: number; overallFactor: number }): Rates {
  const rates = Object.entries(BUCKETS).map(([id, bucket]): [string, Rate] => {
    const times = scale * (bucket.per === 'overall' && !('retryAfterS' in bucket) ? overallFactor : 1)
    const intervalMs = 1000 / (bucket.ratePerS * times)
    const retryAfterS = 'retryAfterS' in bucket ? (bucket.retryAfterS as number) : null
    return [id, { intervalMs, capacityMs: Math.max(1, bucket.burst * times) * intervalMs, retryAfterS }]
  })
  return Object.fromEntries(rates) as Record<BucketId, Rate>
}

/** A shorter wait is a rounding error. */
export const ROUNDING_MS = 0.001

export const PASSED: Taken = { ok: true }

/** A refusal with a wait after which the token is available. */
export const refused = (bucket: BucketId, rate: Rate, waitMs: number): Taken => ({
  ok: false,
  bucket,
  retryAfterS: rate.retryAfterS ?? Math.max(1, Math.ceil((waitMs - ROUNDING_MS) / 1000)),
})
