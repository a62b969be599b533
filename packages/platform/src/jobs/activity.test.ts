import { expect, it, vi } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { createActivity } from './activity.ts'

it('lets the first uses after a rest wait until the process is up to date', async () => {
  const clock = createManualClock(5_000)
  const activity = createActivity(clock)
  let isReady = () => {}
  const listener = vi.fn(
    () =>
      new Promise<void>((resolve) => {
        isReady = resolve
      }),
  )
  activity.onReturn(listener)
  activity.onReturn(() => {
    throw new Error('the node is silent')
  })
  expect(activity.note()).toBeUndefined()
  await clock.advance(60_000)
  const first = activity.note()
  const second = activity.note()
  expect(second).toBe(first)
  expect(first).toBeDefined()
  let isReturned = false
  void first!.then(() => {
    isReturned = true
  })
  await clock.advance(0)
  expect(isReturned).toBe(false)
  isReady()
  await first
  expect(activity.note()).toBeUndefined()
  expect(listener).toHaveBeenCalledTimes(1)
})

it('waits no longer than two seconds', async () => {
  vi.useFakeTimers()
  try {
    const activity = createActivity({ nowMs: Date.now })
    activity.onReturn(() => new Promise(() => {}))
    vi.setSystemTime(Date.now() + 60_000)
    const returning = activity.note()
    await vi.advanceTimersByTimeAsync(2_000)
    await returning
    expect(activity.note()).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
