import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { Redis } from 'ioredis'
import { type Limiter, PASSED, type Rates, refused, type Taken, type Taking } from './limiter.ts'
import type { MemoryLimiter } from './memoryLimiter.ts'

/**
 * memoryLimiter's arithmetic over all buckets of a request, in one round trip. ARGV: now, or empty for the
 * clock of Redis; 1 to draw; then interval, capacity and cost per key.
 */
const SCRIPT = `
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
end
local after, worst, at = {}, 0.001, 0
for i, key in ipairs(KEYS) do
  local interval, capacity, cost = tonumber(ARGV[i * 3]), tonumber(ARGV[i * 3 + 1]), tonumber(ARGV[i * 3 + 2])
  local full_at = tonumber(redis.call('GET', key) or now)
  full_at = math.min(math.max(full_at, now), now + capacity)
  after[i] = full_at + cost * interval
  local wait = after[i] - capacity - now
  if wait > worst then worst, at = wait, i end
end
if at > 0 then return { at, string.format('%.4f', worst) } end
if ARGV[2] == '1' then
  for i, key in ipairs(KEYS) do
    redis.call('SET', key, string.format('%.4f', after[i]), 'PX', math.ceil(after[i] - now) + 10000)
  end
end
return { 0, '0' }
`

/** After this many missed responses in a row, Redis is skipped for `restMs`. */
const MAX_MISSES = 3

type Run = (keyCount: number, ...args: string[]) => Promise<[number, string]>

interface RedisLimiterDeps {
  redis: Redis
  rates: Rates
  /** This process's own buckets: they apply too, and alone while Redis does not answer. */
  local: MemoryLimiter
  logger: Logger
  metrics: Metrics
  /** How long a request waits for Redis before `local` decides. */
  timeoutMs?: number
  /** How long Redis is skipped after missed responses. */
  restMs?: number
  /** How long Redis must respond in time before it counts as recovered. */
  calmMs?: number
  /** Tests pass the time; servers use the clock of Redis, so that they agree. */
  time?: 'redis' | 'handed in'
  prefix?: string
}

/**
 * GCRA shared by all servers on one Redis. Without Redis each server enforces the limits alone, so an outage
 * costs accuracy across servers but never a response.
 */
export function createRedisLimiter({
  redis,
  rates,
  local,
  logger,
  metrics,
  timeoutMs = 10,
  restMs = 1_000,
  calmMs = 10_000,
  time = 'redis',
  prefix = 'pit:rate:',
}: RedisLimiterDeps): Limiter {
  redis.defineCommand('pitTake', { lua: SCRIPT })
  const run = (redis as unknown as { pitTake: Run }).pitTake.bind(redis)
  let degraded = false
  let restUntilMs = 0
  let missedAtMs = Number.NEGATIVE_INFINITY
  let failures = 0

  function setDegraded(now: boolean, why?: unknown): void {
    if (now === degraded) return
    degraded = now
    metrics.limiterDegraded(now)
    if (now) logger.warn({ err: why }, 'Redis does not answer; rate limits apply per process')
    else logger.info('Redis recovered; rate limits are shared again')
  }
  // An 'error' event without a listener would end the process.
  const onError = (error: unknown) => setDegraded(true, error)
  redis.on('error', onError)

  function ask(takings: readonly Taking[], nowMs: number, verb: 'take' | 'peek'): Taken | Promise<Taken> {
    if (takings.length === 0) return PASSED
    if (redis.status !== 'ready' || performance.now() < restUntilMs) {
      setDegraded(true)
      return local[verb](takings, nowMs)
    }
    // Neither limiter draws if the other refuses.
    const here = local.peek(takings, nowMs)
    const draw = verb === 'take' && here.ok
    const keys = takings.map(({ bucket, id }) => `${prefix}${bucket}:${id}`)
    const args = takings.flatMap(({ bucket, cost }) => {
      const { intervalMs, capacityMs } = rates[bucket]
      return [String(intervalMs), String(capacityMs), String(cost ?? 1)]
    })
    const now = time === 'redis' ? '' : String(nowMs)
    const answer = run(keys.length, ...keys, now, draw ? '1' : '0', ...args)
    return new Promise<Taken>((resolve) => {
      // A response that comes after the fallback decided must not draw from `local` again.
      let settled = false
      const giveUp = (why: unknown) => {
        clearTimeout(timer)
        if (settled) return
        settled = true
        failures += 1
        missedAtMs = performance.now()
        if (failures >= MAX_MISSES) restUntilMs = missedAtMs + restMs
        setDegraded(true, why)
        resolve(local[verb](takings, nowMs))
      }
      // If this process is the slow one, the response is already in the socket: read it first.
      const late = () => setImmediate(giveUp, new Error(`no response within ${timeoutMs} ms`))
      const timer = setTimeout(late, timeoutMs)
      answer.then(([failing, waitMs]) => {
        clearTimeout(timer)
        if (settled) return
        settled = true
        failures = 0
        if (performance.now() - missedAtMs >= calmMs) setDegraded(false)
        const taking = takings[failing - 1]
        const there =
          taking === undefined ? PASSED : refused(taking.bucket, rates[taking.bucket], Number(waitMs))
        if (draw && there.ok) local.take(takings, nowMs)
        resolve(stricter(here, there))
      }, giveUp)
    })
  }

  return {
    take: (takings, nowMs) => ask(takings, nowMs, 'take'),
    peek: (takings, nowMs) => ask(takings, nowMs, 'peek'),
    async close() {
      redis.off('error', onError)
      redis.on('error', () => {})
      redis.disconnect()
      await local.close()
    },
  }
}

function stricter(one: Taken, other: Taken): Taken {
  if (one.ok) return other
  return other.ok || one.retryAfterS >= other.retryAfterS ? one : other
}
