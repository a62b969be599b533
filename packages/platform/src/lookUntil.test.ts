import { expect, it } from 'vitest'
import { createManualClock } from '../test/manualClock.ts'
import { lookUntil } from './lookUntil.ts'

function open(holds: (seen: number) => boolean, signal?: AbortSignal) {
  const clock = createManualClock(1_000)
  let looks = 0
  const terms = { holds, withinMs: 100, everyMs: 30, ...(signal && { signal }) }
  return { clock, seen: lookUntil(clock, async () => ++looks, terms) }
}

it('answers what holds as soon as it does', async () => {
  const { clock, seen } = open((look) => look === 3)
  await clock.advance(60)
  expect(await seen).toBe(3)
})

it('answers what it saw last when the time is over, also by a clock that was set back', async () => {
  const { clock, seen } = open(() => false)
  clock.set(-5_000)
  await clock.advance(200)
  expect(await seen).toBe(5)
})

it('ends early when nobody waits any more', async () => {
  const ending = new AbortController()
  const { clock, seen } = open(() => false, ending.signal)
  await clock.advance(10)
  ending.abort()
  expect(await seen).toBe(2)
})
