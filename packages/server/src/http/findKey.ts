import type { Clock } from '@pit/platform/clock'
import type { Metrics } from '@pit/platform/metrics'
import { fail } from '@pit/protocol'
import type { Authenticate } from './plan.ts'
import { refuseUnless } from './rates/charge.ts'
import type { Limiter, Taking } from './rates/limiter.ts'
import { createTurns } from './turns.ts'
import type { ApiKey } from './types.ts'

/** Look-ups of unknown keys from one network at once: whoever waits is judged by how those before it ended. */
const LOOKUPS_AT_ONCE = 4

/**
 * The key of a request. Keys known to this process are never held up by the failures of others behind the same
 * address; a key nobody knows reaches the store only while that address has failures left.
 */
export function createKeyFinder({
  authenticate,
  limiter,
  clock,
  metrics,
}: {
  authenticate: Authenticate
  limiter: Limiter
  clock: Clock
  metrics: Metrics
}): (authorization: string | undefined, network: string) => Promise<ApiKey> {
  const turns = createTurns(LOOKUPS_AT_ONCE)

  return async (authorization, network) => {
    const failures: Taking[] = [{ bucket: 'failed_auth', id: network }]
    const bearer = bearerOf(authorization)
    if (bearer !== null) {
      const known = await authenticate(bearer, 'known')
      if (known !== null) return known
      const found = await turns.take(network, async () => {
        refuseUnless(await limiter.peek(failures, clock.nowMs()), metrics)
        const key = await authenticate(bearer, 'any')
        if (key === null) refuseUnless(await limiter.take(failures, clock.nowMs()), metrics)
        return key
      })
      return found ?? fail('UNAUTHORIZED')
    }
    refuseUnless(await limiter.take(failures, clock.nowMs()), metrics)
    return fail('UNAUTHORIZED')
  }
}

function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > 512) return null
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? null
}
