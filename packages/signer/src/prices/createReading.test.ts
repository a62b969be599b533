import { expect, it, vi } from 'vitest'
import { createReading } from './createReading.ts'

function open(read = vi.fn(async () => {})) {
  const time = { nowMs: 0 }
  return { time, read, reading: createReading(read, { maxAgeMs: 1_000, nowMs: () => time.nowMs }) }
}

it('reads before the first call, and again once the reading is too old', async () => {
  const { time, read, reading } = open()
  await reading.current()
  time.nowMs = 1_000
  await reading.current()
  expect(read).toHaveBeenCalledTimes(1)
  time.nowMs = 1_001
  await reading.current()
  expect(read).toHaveBeenCalledTimes(2)
})

it('shares one reading among calls, each of which waits for it', async () => {
  let end = () => {}
  const read = vi.fn(() => new Promise<void>((resolve) => (end = resolve)))
  const { reading } = open(read)
  let ended = 0
  const calls = [reading.current(), reading.current()].map((call) => call.then(() => ended++))
  await Promise.resolve()
  expect(ended).toBe(0)
  end()
  await Promise.all(calls)
  expect([read.mock.calls.length, ended]).toEqual([1, 2])
})

it('counts a failed reading, so that calls do not wait for an unreachable node each', async () => {
  const read = vi.fn(() => Promise.reject(new Error('no answer')))
  const { reading } = open(read)
  await reading.current()
  await reading.current()
  expect(read).toHaveBeenCalledTimes(1)
  await expect(reading.run()).rejects.toThrow('no answer')
})

it('lets a call go on when the node hangs: the rules judge by the age of the last reading', async () => {
  const reading = createReading(() => new Promise<void>(() => {}), { maxAgeMs: 1_000, maxWaitMs: 10 })
  await reading.current()
  await reading.current()
})
