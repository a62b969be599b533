import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { BUCKETS, type BucketId } from '@pit/protocol'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Limiter, ratesOf, type Taken } from './limiter.ts'
import { createMemoryLimiter } from './memoryLimiter.ts'
import { createRedisLimiter } from './redisLimiter.ts'

const RATES = ratesOf({ scale: 1, overallFactor: 50 })
const START_MS = 1_700_000_000_000
const hasRedis = spawnSync('redis-server', ['--version']).status === 0

function laws(open: () => Limiter): void {
  it.each(Object.keys(BUCKETS) as BucketId[])('allows %s its burst, then its rate', async (bucket) => {
    const limiter = open()
    const { per, burst, ratePerS } = BUCKETS[bucket]
    const times = per === 'overall' && !bucket.startsWith('screen') ? 50 : 1
    const take = (nowMs: number) => limiter.take([{ bucket, id: 'a' }], nowMs)
    for (let i = 0; i < burst * times; i++) expect(await take(START_MS)).toEqual({ ok: true })
    const refused = await take(START_MS)
    expect(refused).toMatchObject({ ok: false, bucket })
    const nextMs = 1000 / (ratePerS * times)
    if (!bucket.startsWith('screen')) {
      expect(refused).toMatchObject({ retryAfterS: Math.max(1, Math.ceil(nextMs / 1000)) })
    }
    expect((await take(START_MS + Math.floor(nextMs) - 1)).ok).toBe(false)
    expect((await take(START_MS + Math.ceil(nextMs))).ok).toBe(true)
    expect((await take(START_MS + Math.ceil(nextMs))).ok).toBe(false)
  })

  it('admits a caller that waits exactly Retry-After', async () => {
    const limiter = open()
    let nowMs = START_MS
    const ids = fc.sample(fc.integer({ min: 0, max: 1_700 }), { numRuns: 300, seed: 4663 })
    for (const pauseMs of ids) {
      nowMs += pauseMs
      const draw = await limiter.take([{ bucket: 'live_heavy', id: 'b' }], nowMs)
      if (draw.ok) continue
      nowMs += draw.retryAfterS * 1000
      expect(await limiter.take([{ bucket: 'live_heavy', id: 'b' }], nowMs)).toEqual({ ok: true })
    }
  })

  it('draws from all buckets of a request or from none', async () => {
    const limiter = open()
    const both = [
      { bucket: 'key', id: 'k' },
      { bucket: 'live_heavy', id: 'k' },
    ] as const
    for (let i = 0; i < 6; i++) expect((await limiter.take(both, START_MS)).ok).toBe(true)
    for (let i = 0; i < 50; i++) {
      expect(await limiter.take(both, START_MS)).toEqual({ ok: false, bucket: 'live_heavy', retryAfterS: 2 })
    }
    let left = 0
    while ((await limiter.take([{ bucket: 'key', id: 'k' }], START_MS)).ok) left += 1
    expect(left).toBe(24)
  })

  it('peeks without drawing', async () => {
    const limiter = open()
    const one = [{ bucket: 'me_reads', id: 'p' }] as const
    for (let i = 0; i < 100; i++) expect((await limiter.peek(one, START_MS)).ok).toBe(true)
    for (let i = 0; i < 20; i++) await limiter.take(one, START_MS)
    expect(await limiter.peek(one, START_MS)).toEqual({ ok: false, bucket: 'me_reads', retryAfterS: 1 })
  })

  it('keeps ids apart and never exceeds burst and rate', async () => {
    const limiter = open()
    const passed: Record<string, number> = { x: 0, y: 0 }
    for (let ms = 0; ms <= 20_000; ms += 50) {
      for (const id of ['x', 'y']) {
        if ((await limiter.take([{ bucket: 'hosted.key', id }], START_MS + ms)).ok) passed[id]! += 1
      }
    }
    expect(passed).toEqual({ x: 60, y: 60 })
  })

  it('locks no caller out when the clock is set back', async () => {
    const limiter = open()
    for (let i = 0; i < 30; i++) await limiter.take([{ bucket: 'key', id: 'c' }], START_MS + 3_600_000)
    const draw = await limiter.take([{ bucket: 'key', id: 'c' }], START_MS)
    expect(draw).toEqual({ ok: false, bucket: 'key', retryAfterS: 1 })
  })
}

describe('in memory', () => {
  laws(() => createMemoryLimiter({ rates: RATES }))

  it('stays bounded under a flood of new addresses, and drops full buckets', () => {
    const limiter = createMemoryLimiter({ rates: RATES, maxEntriesPerBucket: 1_000 })
    for (let i = 0; i < 10_000; i++) limiter.take([{ bucket: 'public.address', id: String(i) }], START_MS)
    expect(limiter.size()).toBeLessThanOrEqual(1_000)
    for (let i = 0; i < 2_000; i++)
      limiter.take([{ bucket: 'public.address', id: `n${i}` }], START_MS + 60_000 + i * 500)
    expect(limiter.size()).toBeLessThan(20)
  })
})

describe('a Redis that is slow', () => {
  /** Allows everything, after a scripted delay. */
  function openSlow(delaysMs: () => number) {
    const lines: string[] = []
    const redis = {
      status: 'ready',
      defineCommand() {},
      on() {},
      off() {},
      disconnect() {},
      pitTake: () => new Promise((resolve) => setTimeout(resolve, delaysMs(), [0, '0'])),
    } as unknown as Redis
    const limiter = createRedisLimiter({
      redis,
      rates: RATES,
      local: createMemoryLimiter({ rates: RATES }),
      logger: createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
      metrics: createMetrics({ withProcess: false }),
      timeoutMs: 20,
      restMs: 0,
      time: 'handed in',
    })
    return { limiter, lines }
  }
  const one = [{ bucket: 'key', id: 'slow' }] as const

  it('charges a request once, even if its response comes after the fallback’s', async () => {
    const { limiter } = openSlow(() => 60)
    for (let i = 0; i < 3; i++) {
      const ten = await Promise.all(Array.from({ length: 10 }, () => limiter.take(one, START_MS)))
      expect(ten.every(({ ok }) => ok)).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect((await limiter.take(one, START_MS)).ok).toBe(false)
  })

  it('that is slow intermittently is logged once', async () => {
    let requestCount = 0
    const { limiter, lines } = openSlow(() => (requestCount++ % 2 === 0 ? 60 : 0))
    for (let i = 0; i < 12; i++) await limiter.take(one, START_MS)
    expect(lines).toHaveLength(1)
  })
})

describe.skipIf(!hasRedis)(`in Redis${hasRedis ? '' : ' (redis-server is not installed: skipped)'}`, () => {
  let folder: string
  let server: ChildProcess
  let port: number
  let count = 0
  const opened: Limiter[] = []
  const metrics = createMetrics({ withProcess: false })
  const logger = createLogger({ level: 'silent' })

  function openLimiter(
    options: { timeoutMs?: number; restMs?: number; calmMs?: number; prefix?: string } = {},
  ): Limiter {
    const redis = new Redis({ port, host: '127.0.0.1', enableOfflineQueue: true, retryStrategy: () => 50 })
    const limiter = createRedisLimiter({
      redis,
      rates: RATES,
      local: createMemoryLimiter({ rates: RATES }),
      logger,
      metrics,
      timeoutMs: 1_000,
      time: 'handed in',
      prefix: `t${++count}:`,
      ...options,
    })
    opened.push(limiter)
    return limiter
  }

  const ready = async (limiter: Limiter): Promise<Limiter> => {
    for (let i = 0; i < 100; i++) {
      if (limiter.peek([{ bucket: 'key', id: 'ready' }], START_MS) instanceof Promise) return limiter
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error('Redis never became ready')
  }
  const start = async (): Promise<void> => {
    server = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], {
      stdio: 'ignore',
    })
    const probe = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null })
    probe.on('error', () => {})
    await probe.ping()
    probe.disconnect()
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pit-redis-'))
    port = await new Promise<number>((resolve) => {
      const socket = createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = socket.address() as { port: number }
        socket.close(() => resolve(free))
      })
    })
    await start()
  })
  afterAll(async () => {
    await Promise.all(opened.map((limiter) => limiter.close()))
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  // The tests open their limiter synchronously; each waits for the connection in its first call.
  laws(() => {
    const limiter = openLimiter()
    const connected = ready(limiter)
    return {
      take: async (takings, nowMs): Promise<Taken> => (await connected).take(takings, nowMs),
      peek: async (takings, nowMs): Promise<Taken> => (await connected).peek(takings, nowMs),
      close: async () => {},
    }
  })

  it('counts two servers as one', async () => {
    const [a, b] = await Promise.all([
      ready(openLimiter({ prefix: 'shared:' })),
      ready(openLimiter({ prefix: 'shared:' })),
    ])
    const one = [{ bucket: 'key', id: 'both' }] as const
    const draws = await Promise.all(
      Array.from({ length: 80 }, (_, i) => (i % 2 === 0 ? a : b).take(one, START_MS)),
    )
    expect(draws.filter(({ ok }) => ok)).toHaveLength(30)
  })

  it('continues in this process while Redis is away or frozen, and recovers', async () => {
    const limiter = await ready(openLimiter({ timeoutMs: 20, restMs: 100, calmMs: 200 }))
    const one = [{ bucket: 'key', id: 'down' }] as const
    expect((await limiter.take(one, START_MS)).ok).toBe(true)
    server.kill('SIGSTOP')
    const beforeMs = performance.now()
    // Draws through Redis are not repeated here.
    for (let i = 0; i < 29; i++) expect((await limiter.take(one, START_MS)).ok).toBe(true)
    expect((await limiter.take(one, START_MS)).ok).toBe(false)
    expect(performance.now() - beforeMs).toBeLessThan(500)
    expect(await metrics.registry.getSingleMetricAsString('pit_rate_degraded')).toContain(
      'pit_rate_degraded 1',
    )
    server.kill('SIGCONT')
    server.kill('SIGKILL')
    await new Promise((resolve) => server.once('exit', resolve))
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await limiter.take(one, START_MS + 1_000)).ok).toBe(true)
    await start()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await ready(limiter)
    expect((await limiter.take(one, START_MS + 5_000)).ok).toBe(true)
    expect(await metrics.registry.getSingleMetricAsString('pit_rate_degraded')).toContain(
      'pit_rate_degraded 0',
    )
  })
})
