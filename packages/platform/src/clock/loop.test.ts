import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { type LoopOptions, startLoop } from './loop.ts'

/** A loop that records when it ran. */
function open(options: Partial<LoopOptions> = {}) {
  const clock = createManualClock(1_000)
  const ranAt: number[] = []
  const loop = startLoop({
    clock,
    intervalMs: 100,
    ...options,
    async run(signal) {
      ranAt.push(clock.nowMs() - 1_000)
      return options.run?.(signal)
    },
  })
  return { clock, ranAt, loop }
}

it('waits the full interval after each run, however long the run took', async () => {
  const took = [30, 250, 0, 99, 100]
  const { clock, ranAt, loop } = open({ run: () => clock.sleep(took.shift() ?? 0) })
  await clock.advance(900)
  expect(ranAt).toEqual([0, 130, 480, 580, 779])
  await loop.stop()
})

it('never runs twice at once, and runs after every wake-up', async () => {
  const event = fc.record({
    kind: fc.constantFrom('wake', 'wait'),
    ms: fc.integer({ min: 0, max: 300 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 30 }),
      fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 30 }),
      fc.option(fc.integer({ min: 20, max: 200 })),
      async (events, took, intervalMs) => {
        let running = 0
        let [lastStart, lastWake, step] = [0, -1, 0]
        const clock = createManualClock()
        const loop = startLoop({
          clock,
          intervalMs,
          maxRetryMs: 200,
          async run(signal) {
            expect(++running).toBe(1)
            lastStart = ++step
            await clock.sleep(took.shift() ?? 0, signal)
            running--
            if (took.length % 3 === 1) throw new Error('now and then')
          },
        })
        for (const { kind, ms } of events) {
          if (kind === 'wake') {
            lastWake = ++step
            loop.wake()
          } else await clock.advance(ms)
        }
        await clock.advance(2_000)
        expect(lastStart).toBeGreaterThan(lastWake)
        await loop.stop()
        expect(running).toBe(0)
        expect(clock.sleeping()).toBe(0)
      },
    ),
    { numRuns: 100 },
  )
})

it('wakes between runs, and waits the interval again after that', async () => {
  const { clock, ranAt, loop } = open()
  await clock.advance(30)
  loop.wake()
  await clock.advance(100)
  expect(ranAt).toEqual([0, 30, 130])
  await loop.stop()
})

it('merges wake-ups in quick succession', async () => {
  const { clock, ranAt, loop } = open({ intervalMs: null, wakeAfterMs: 5 })
  await clock.advance(50)
  loop.wake()
  await clock.advance(3)
  loop.wake()
  await clock.advance(50)
  loop.wake()
  await clock.advance(50)
  expect(ranAt).toEqual([55, 108])
  await loop.stop()
})

it('runs again at once while there is more to do', async () => {
  let left = 3
  const { clock, ranAt, loop } = open({ run: async () => (--left > 0 ? 'more' : 'done') })
  await clock.advance(100)
  expect(ranAt).toEqual([0, 0, 0, 100])
  await loop.stop()
})

it('backs off after each failure, up to a bound, even if woken', async () => {
  const ends: [unknown, number][] = []
  let failing = true
  const { clock, ranAt, loop } = open({
    maxRetryMs: 500,
    run: async () => {
      if (failing) throw new Error('no')
    },
    ended: (error, tookMs) => ends.push([error && (error as Error).message, tookMs]),
  })
  await clock.advance(100)
  loop.wake()
  await clock.advance(1_500)
  expect(ranAt).toEqual([0, 200, 600, 1100, 1600])
  failing = false
  await clock.advance(600)
  expect(ranAt.slice(5)).toEqual([2100, 2200])
  expect(ends.at(-1)).toEqual([null, 0])
  await loop.stop()
})

it('does not wait for a clock that was set back', async () => {
  const { clock, ranAt, loop } = open()
  await clock.advance(50)
  clock.set(-3_600_000)
  await clock.advance(250)
  expect(ranAt).toHaveLength(4)
  await loop.stop()
})

it('aborts the running run on stop, waits for it, and ignores its failure', async () => {
  const ends: unknown[] = []
  const { clock, ranAt, loop } = open({
    run: async (signal) => {
      await clock.sleep(10_000, signal)
      throw new Error('cut off')
    },
    ended: (error) => ends.push(error),
  })
  await clock.advance(10)
  expect(loop.runningSinceMs()).toBe(1_000)
  await loop.stop()
  expect([ranAt, ends, loop.runningSinceMs()]).toEqual([[0], [], null])
  await clock.advance(10_000)
  expect(ranAt).toHaveLength(1)
})

it('stops at once after a run that succeeds meanwhile, however long the pause would be', async () => {
  for (const intervalMs of [60_000, null]) {
    const { clock, ranAt, loop } = open({ intervalMs, run: (signal) => clock.sleep(10_000, signal) })
    loop.wake()
    await clock.advance(10)
    expect(loop.runningSinceMs()).not.toBeNull()
    await loop.stop()
    expect([ranAt.length, clock.sleeping()]).toEqual([1, 0])
  }
})

it('does not start once stopped', async () => {
  const { clock, ranAt, loop } = open({ firstAfterMs: 50 })
  await loop.stop()
  await clock.advance(1_000)
  expect(ranAt).toEqual([])
})
