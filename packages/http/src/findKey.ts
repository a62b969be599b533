import type { Clock } from '@pit/platform/clock'
import type { Metrics } from '@pit/platform/monitoring'
import { fail, REQUEST } from '@pit/protocol'
import type { Authenticate, EdgeKey } from './caller.ts'
import type { Network } from './clientAddress.ts'
import { refuseUnless, takingsOf } from './rates/charge.ts'
import type { Limiter } from './rates/limiter.ts'

/** Concurrent look-ups of unknown keys per network; waiting ones see how many failed. */
const MAX_CONCURRENT_LOOKUPS = 4

/**
 * Finds the key of a request. Failed keys from an address never delay a key this process knows. An unknown
 * key reaches the store only while its address has failures left.
 */
export function createKeyFinder<Key extends EdgeKey>({
  authenticate,
  limiter,
  clock,
  metrics,
}: {
  authenticate: Authenticate<Key>
  limiter: Limiter
  clock: Clock
  metrics: Metrics
}): (authorization: string | undefined, networks: readonly [Network, ...Network[]]) => Promise<Key> {
  const inTurn = createQueues(MAX_CONCURRENT_LOOKUPS)

  return async (authorization, networks) => {
    const failures = takingsOf(['failed_auth'], networks, null)
    const bearer = bearerOf(authorization)
    if (bearer === null) {
      refuseUnless(await limiter.take(failures, clock.nowMs()), metrics)
      return fail('UNAUTHORIZED', { message: whyNoBearer(authorization) })
    }
    const knownKey = await authenticate(bearer, 'known')
    if (knownKey !== null) return knownKey
    const storedKey = await inTurn(networks[0].id, async () => {
      refuseUnless(await limiter.peek(failures, clock.nowMs()), metrics)
      const key = await authenticate(bearer, 'any')
      if (key === null) refuseUnless(await limiter.take(failures, clock.nowMs()), metrics)
      return key
    })
    return storedKey ?? fail('UNAUTHORIZED', { message: 'The API key is unknown, expired or revoked.' })
  }
}

function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > 512) return null
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? null
}

/** Never quotes the header: it may contain a key. */
function whyNoBearer(header: string | undefined): string {
  if (header === undefined) return 'No API key: the Authorization header is missing.'
  if (!/^Bearer(\s|$)/i.test(header)) {
    return `The Authorization header has no “Bearer” before the key: send “Bearer ${REQUEST.keyPrefix}…”.`
  }
  return 'The Authorization header has no key after “Bearer”.'
}

/** Runs the work of one name a few at a time, in order of arrival; names do not wait for each other. */
function createQueues(maxRunning: number) {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>()
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(name) ?? { running: 0, waiting: [] }
    queues.set(name, queue)
    if (queue.running < maxRunning) queue.running += 1
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot goes straight to the next in the queue, so that a newcomer cannot take it.
      const next = queue.waiting.shift()
      if (next) next()
      else {
        queue.running -= 1
        if (queue.running === 0) queues.delete(name)
      }
    }
  }
}
