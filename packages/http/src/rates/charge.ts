import type { Clock } from '@pit/platform/clock'
import type { Metrics } from '@pit/platform/monitoring'
import { type AnyRoute, BUCKETS, type BucketId, type BucketPer, fail } from '@pit/protocol'
import type { Charge } from '../caller.ts'
import { type Network, networksOf } from '../clientAddress.ts'
import type { Limiter, Taken, Taking } from './limiter.ts'

export function createCharge({
  limiter,
  clock,
  metrics,
}: {
  limiter: Limiter
  clock: Clock
  metrics: Metrics
}): Charge {
  return async (caller, buckets) => {
    const networks = networksOf(caller.address)
    const keyId = caller.key === null ? null : String(caller.key.keyId)
    refuseUnless(await limiter.take(takingsOf(buckets, networks, keyId), clock.nowMs()), metrics)
  }
}

const PER_WORDS: Record<BucketPer, string> = {
  address: 'per client address',
  key: 'per key',
  caller: 'per caller',
  overall: 'for all callers together',
}

export function refuseUnless(taken: Taken, metrics: Metrics): void {
  if (taken.ok) return
  metrics.limiterRefused(taken.bucket)
  const { what, per } = BUCKETS[taken.bucket]
  fail('RATE_LIMITED', {
    message: `Too many requests: ${what}, counted ${PER_WORDS[per]}.`,
    bucket: taken.bucket,
    retryAfterS: taken.retryAfterS,
  })
}

/** One draw from each bucket; a bucket per address is drawn once per network of the client. */
export const takingsOf = (
  buckets: readonly BucketId[],
  networks: readonly Network[],
  keyId: string | null,
): Taking[] =>
  buckets.flatMap((bucket): Taking[] => {
    const { per } = BUCKETS[bucket]
    if (per === 'overall') return [{ bucket, id: '*' }]
    if (per !== 'address' && keyId !== null)
      return [{ bucket, id: per === 'caller' ? `key ${keyId}` : keyId }]
    const prefix = per === 'address' ? '' : 'address '
    return networks.map(({ id, cost }) => ({ bucket, id: `${prefix}${id}`, cost }))
  })

/** The buckets checked before the key is known, and all of them. */
export function bucketsByStage(route: Pick<AnyRoute, 'buckets'>, needsKey: boolean) {
  const beforeKey = route.buckets.filter(
    (id) => BUCKETS[id].per === 'address' || BUCKETS[id].per === 'overall',
  )
  return needsKey
    ? { beforeKey: beforeKey.filter((id) => BUCKETS[id].per === 'address'), all: route.buckets }
    : { beforeKey, all: beforeKey }
}
