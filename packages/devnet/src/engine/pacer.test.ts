import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPacer } from './pacer.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

function open({ restMs, mineMs = 0 }: { restMs?: number; mineMs?: number } = {}) {
  /** Each block's time and when it was mined, in milliseconds since the start. */
  const mined: [atMs: number, whenMs: number][] = []
  const state = { isAwaited: false }
  const pacer = createPacer({
    async mine(atMs) {
      mined.push([atMs - 1_000_000, Date.now() - 1_000_000])
      if (mineMs > 0) await new Promise((resolve) => setTimeout(resolve, mineMs))
    },
    isAwaited: () => state.isAwaited,
    now: Date.now,
  })
  pacer.start({ everyMs: 100, restMs })
  return { mined, state, pacer }
}

it('mines a block at each interval without a rest', async () => {
  const { mined, pacer } = open()
  await vi.advanceTimersByTimeAsync(350)
  expect(mined).toEqual([100, 200, 300].map((ms) => [ms, ms]))
  expect(pacer.catchUp()).toBeUndefined()
  pacer.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(mined).toHaveLength(3)
})

it('leaves out the beats that pass while a block is mined', async () => {
  const { mined } = open({ mineMs: 250 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(mined).toEqual([100, 400, 700, 1_000].map((ms) => [ms, ms]))
})

it('mines unwatched blocks together, each with its own time', async () => {
  const { mined } = open({ restMs: 2_000 })
  await vi.advanceTimersByTimeAsync(2_099)
  expect(mined).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(mined).toEqual(Array.from({ length: 21 }, (_, n) => [100 * (n + 1), 2_100]))
})

it('catches up with the time of a request, once for all who ask', async () => {
  const { mined, pacer } = open({ restMs: 2_000, mineMs: 1 })
  await vi.advanceTimersByTimeAsync(350)
  const both = Promise.all([pacer.catchUp(), pacer.catchUp()])
  await vi.advanceTimersByTimeAsync(10)
  await both
  expect(mined.map(([atMs]) => atMs)).toEqual([100, 200, 300])
  expect(pacer.catchUp()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(2_050)
  expect(mined[3]![0]).toBe(400)
})

it('mines on time from the moment blocks are awaited', async () => {
  const { mined, state, pacer } = open({ restMs: 2_000 })
  await vi.advanceTimersByTimeAsync(350)
  await pacer.catchUp()
  state.isAwaited = true
  pacer.hurry()
  await vi.advanceTimersByTimeAsync(200)
  expect(mined.slice(3)).toEqual([400, 500].map((ms) => [ms, ms]))
})

it('leaves out blocks after the machine was suspended, and goes on after its clock was set back', async () => {
  const { mined, state, pacer } = open({ restMs: 2_000 })
  vi.setSystemTime(1_000_000 + 3_600_000)
  await pacer.catchUp()
  expect(mined).toHaveLength(31)
  vi.setSystemTime(1_000_000)
  state.isAwaited = true
  pacer.hurry()
  await vi.advanceTimersByTimeAsync(100)
  expect(mined).toHaveLength(32)
})
