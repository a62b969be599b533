import { expect, it } from 'vitest'
import { createManualClock } from '../../test/manualClock.ts'
import { lookUntil } from './lookUntil.ts'

function open(holds: (seen: number) => boolean, signal?: AbortSignal) {
  const clock = createManualClock(1_000)
  let looks = 0
  const terms = { holds, withinMs: 100, everyMs: 30, ...(signal && { signal }) }
  return { clock, seen: lookUntil(clock, async () => ++looks, terms) }
}

it('returns as soon as the condition holds', async () => {
  const { clock, seen } = open((look) => look === 3)
  await clock.advance(60)
  expect(await seen).toBe(3)
})

it('returns the last value on timeout, even if the clock was set back', async () => {
  const { clock, seen } = open(() => false)
  clock.set(-5_000)
  await clock.advance(200)
  expect(await seen).toBe(5)
})

it('returns early when it is aborted', async () => {
  const ending = new AbortController()
  const { clock, seen } = open(() => false, ending.signal)
  await clock.advance(10)
  ending.abort()
  expect(await seen).toBe(2)
})
