import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stockSessionOpen } from './stockSession.ts'

const at = (iso: string) => stockSessionOpen(Date.parse(iso))

it('opens Sunday 20:00 and closes Friday 20:00 in New York, winter and summer', () => {
  // Winter: New York is UTC-5.
  expect(at('2026-01-12T00:59:59Z')).toBe(false)
  expect(at('2026-01-12T01:00:00Z')).toBe(true)
  expect(at('2026-01-17T00:59:59Z')).toBe(true)
  expect(at('2026-01-17T01:00:00Z')).toBe(false)
  // Summer: UTC-4.
  expect(at('2026-07-12T23:59:59Z')).toBe(false)
  expect(at('2026-07-13T00:00:00Z')).toBe(true)
  expect(at('2026-07-17T23:59:59Z')).toBe(true)
  expect(at('2026-07-18T00:00:00Z')).toBe(false)
})

it('follows daylight saving on the Sunday it changes', () => {
  // 2026-03-08 clocks go forward: 20:00 is 00:00 UTC next day; 2026-11-01 back: 01:00 UTC next day.
  expect(at('2026-03-09T00:00:00Z')).toBe(true)
  expect(at('2026-03-08T23:59:59Z')).toBe(false)
  expect(at('2026-11-02T00:59:59Z')).toBe(false)
  expect(at('2026-11-02T01:00:00Z')).toBe(true)
})

it('is closed 48 hours a week but for the change of clocks, always in one stretch', () => {
  const hourMs = 3_600_000
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 52 * 20 }), (week) => {
      const monday = Date.UTC(2020, 0, 6) + week * 7 * 24 * hourMs + 12 * hourMs
      const hours = Array.from({ length: 168 }, (_, i) => stockSessionOpen(monday + i * hourMs))
      const closed = hours.filter((open) => !open).length
      const flips = hours.filter((open, i) => i > 0 && open !== hours[i - 1]).length
      return closed >= 47 && closed <= 49 && flips === 2
    }),
  )
})
