import { expect, it } from 'vitest'
import { isClockOff } from './clocks.ts'

const HOUR = 3_600_000

it('of three processes, the one an hour off stands aside', () => {
  expect(isClockOff(HOUR, [3, -8])).toBe(true)
  expect(isClockOff(-HOUR, [3, -8])).toBe(true)
  expect(isClockOff(3, [HOUR, -8])).toBe(false)
})

it('a store that is off takes no process out of service', () => {
  expect(isClockOff(HOUR, [HOUR + 5, HOUR - 5])).toBe(false)
  expect(isClockOff(HOUR, [HOUR])).toBe(false)
})

it('with one process and its store, neither is judged wrong', () => {
  expect(isClockOff(HOUR, [])).toBe(false)
})

it('tolerates differences within NTP accuracy', () => {
  expect(isClockOff(9_000, [0, 0, 0])).toBe(false)
})
