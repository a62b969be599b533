import { runJobs } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/monitoring'
import { RpcUnreachable } from '@pit/platform/rpc'
import { createManualClock } from '@pit/platform/test/manualClock'
import { isPitError, refusal } from '@pit/protocol'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { StoredRecord } from './describeToken.ts'
import type { TokenReading } from './reading.ts'
import { createScreening, type ScreeningDeps } from './screening.ts'
import type { KnownToken } from './store.ts'

const token = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
const READING = { address: token(1), symbol: 'T', trial: { status: 'no_route' } } as unknown as TokenReading
const free = async () => {}

/** Screens end on command. */
function open(change: Partial<ScreeningDeps> = {}) {
  const started: string[] = []
  const saved: KnownToken[] = []
  const ends = new Map<string, { resolve(reading: TokenReading): void; reject(error: Error): void }>()
  const clock = createManualClock(1_000_000)
  const deps = { clock, logger: createLogger({ level: 'silent' }), metrics: { registry: new Registry() } }
  const screening = createScreening({
    ...deps,
    describe: (reading) => ({ of: reading.trial.status }) as unknown as StoredRecord,
    save: async (known) => void saved.push(known),
    screenToken: (address, known) => {
      started.push(address)
      known({ ...READING, address, trial: { status: 'unfinished', why: 'the screen is running' } })
      return new Promise((resolve, reject) => ends.set(address, { resolve, reject }))
    },
    waitMs: 200,
    screenPauseMs: 1,
    ...change,
  })
  const jobs = runJobs(deps, [screening.queueJob])
  return { screening, started, saved, ends, clock, jobs }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error) => (isPitError(error) ? error.code : String(error)),
  )

describe('screens', () => {
  it('are shared by all callers of a token, and admitted once', async () => {
    const { screening, started, ends, saved, clock } = open()
    let admitted = 0
    const admit = async () => void admitted++
    const requests = Array.from({ length: 20 }, () => screening.screen(token(1), admit))
    await clock.advance(5)
    expect(screening.isRunning(token(1))).toBe(true)
    ends.get(token(1))!.resolve(READING)
    const answers = await Promise.all(requests)
    expect(answers.every((answer) => answer.status === 'done')).toBe(true)
    expect(started).toEqual([token(1)])
    expect(admitted).toBe(1)
    expect(saved).toHaveLength(1)
    expect(screening.isRunning(token(1))).toBe(false)
  })

  it('refuse when every slot is busy, and serve again once one is free', async () => {
    const { screening, ends, started, clock } = open({ slots: 2 })
    const first = [1, 2].map((n) => screening.screen(token(n), free))
    await clock.advance(1)
    expect(await codeOf(screening.screen(token(3), free))).toBe('SCREEN_UNAVAILABLE')
    ends.get(token(1))!.resolve(READING)
    await first[0]
    const third = screening.screen(token(3), free)
    await clock.advance(1)
    expect(started).toEqual([token(1), token(2), token(3)])
    for (const n of [2, 3]) ends.get(token(n))!.resolve(READING)
    await Promise.all([...first, third])
  })

  it('do not use a slot if the caller’s budget is spent', async () => {
    const { screening, started, ends, clock } = open({ slots: 1 })
    const refuse = async () => {
      throw refusal('RATE_LIMITED', { retryAfterS: 60 })
    }
    for (let i = 0; i < 3; i++) expect(await codeOf(screening.screen(token(1), refuse))).toBe('RATE_LIMITED')
    expect(started).toEqual([])
    const served = screening.screen(token(1), free)
    await clock.advance(1)
    ends.get(token(1))!.resolve(READING)
    expect((await served).status).toBe('done')
  })

  it('that take too long return partial data, and are stored when they end', async () => {
    const { screening, ends, saved, clock } = open({ waitMs: 30 })
    const late = screening.screen(token(1), free)
    await clock.advance(30)
    expect(await late).toEqual({ status: 'unfinished', record: { of: 'unfinished' } })
    await clock.advance(60_000)
    // A later caller does not wait again.
    const started = performance.now()
    const again = screening.screen(token(1), free)
    await clock.advance(1)
    expect((await again).status).toBe('unfinished')
    expect(performance.now() - started).toBeLessThan(1_000)
    ends.get(token(1))!.resolve(READING)
    await clock.advance(5)
    expect(saved).toHaveLength(1)
    expect(saved[0]!.reading.trial.status).toBe('no_route')
  })

  it('that fail midway are stored as unfinished; earlier failures are the chain’s', async () => {
    const { screening, ends, saved, clock } = open()
    const half = screening.screen(token(1), free)
    await clock.advance(1)
    ends.get(token(1))!.reject(new RpcUnreachable('gone'))
    expect(await half).toMatchObject({ status: 'done' })
    expect(saved[0]!.reading.trial).toEqual({ status: 'unfinished', why: 'the chain did not respond' })
    const mute = open({ screenToken: () => Promise.reject(new RpcUnreachable('gone')) })
    expect(await codeOf(mute.screening.screen(token(2), free))).toBe('RPC_UNAVAILABLE')
    const broken = open({ screenToken: () => Promise.reject(new Error('what')) })
    expect(await codeOf(broken.screening.screen(token(2), free))).toBe('SCREEN_UNAVAILABLE')
  })

  it('of a non-token are cached for a minute', async () => {
    let calls = 0
    const { screening, clock } = open({
      screenToken: async () => {
        calls++
        throw refusal('NOT_A_TOKEN')
      },
    })
    for (let i = 0; i < 3; i++) expect(await codeOf(screening.screen(token(1), free))).toBe('NOT_A_TOKEN')
    expect(calls).toBe(1)
    await clock.advance(60_001)
    await codeOf(screening.screen(token(1), free))
    expect(calls).toBe(2)
  })

  it('in the background run one at a time and yield to callers', async () => {
    const { screening, started, ends, clock, jobs } = open()
    const requested = screening.screen(token(9), free)
    await clock.advance(1)
    for (const n of [1, 2, 3]) screening.later(token(n))
    await clock.advance(30)
    expect(started).toEqual([token(9)])
    ends.get(token(9))!.resolve(READING)
    await requested
    await clock.advance(30)
    expect(started).toEqual([token(9), token(1)])
    // Requested now, it does not wait behind the queue.
    const urgent = screening.screen(token(3), free)
    await clock.advance(5)
    expect(started).toEqual([token(9), token(1), token(3)])
    for (const n of [1, 3]) ends.get(token(n))!.resolve(READING)
    await urgent
    await clock.advance(30)
    expect(started).toEqual([token(9), token(1), token(3), token(2)])
    ends.get(token(2))!.resolve(READING)
    await jobs.stop()
    await screening.close()
    expect(screening.queued()).toBe(0)
  })
})
