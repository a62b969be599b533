import { BUCKETS, type Bucket } from '@pit/protocol'

/** Every rate limit with its numbers in words. */
export const rateRows = () =>
  Object.entries(BUCKETS as { [id: string]: Bucket }).map(([id, { what, per, burst, ratePerS }]) => ({
    id,
    what,
    per,
    burst: String(burst),
    rate: ratePerS >= 1 ? `${ratePerS} per second` : `one every ${Math.round(1 / ratePerS)} seconds`,
  }))
