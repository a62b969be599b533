import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stockSessionOf } from './stockSession.ts'

const stockSessionOpen = stockSessionOf({
  market_holidays: [{ date: '2026-11-26' }, { date: '2026-11-27', closes: '13:00' }, { date: '2027-01-01' }],
})
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
  const everyWeek = stockSessionOf({ market_holidays: [] })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 52 * 20 }), (week) => {
      const monday = Date.UTC(2020, 0, 6) + week * 7 * 24 * hourMs + 12 * hourMs
      const hours = Array.from({ length: 168 }, (_, i) => everyWeek(monday + i * hourMs))
      const closed = hours.filter((open) => !open).length
      const flips = hours.filter((open, i) => i > 0 && open !== hours[i - 1]).length
      return closed >= 47 && closed <= 49 && flips === 2
    }),
  )
})

it('takes out a holiday from the evening before, and ends a half day early', () => {
  // Thanksgiving 2026: closed from Wednesday 20:00 to Thursday 20:00.
  expect(at('2026-11-26T00:59:59Z')).toBe(true)
  expect(at('2026-11-26T01:00:00Z')).toBe(false)
  expect(at('2026-11-26T15:00:00Z')).toBe(false)
  expect(at('2026-11-27T00:59:59Z')).toBe(false)
  expect(at('2026-11-27T01:00:00Z')).toBe(true)
  // The Friday after ends at 13:00, and the weekend follows.
  expect(at('2026-11-27T17:59:59Z')).toBe(true)
  expect(at('2026-11-27T18:00:00Z')).toBe(false)
  expect(at('2026-11-30T00:59:59Z')).toBe(false)
  expect(at('2026-11-30T01:00:00Z')).toBe(true)
  // The evening before New Year belongs to it, across the year.
  expect(at('2026-12-31T20:00:00Z')).toBe(true)
  expect(at('2027-01-01T01:00:00Z')).toBe(false)
})
