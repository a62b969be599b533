import { describe, expect, it } from 'vitest'
import { isoWeekOf, labelOf, WEEK_S, weekEndOf, weekStartOf } from './weeks.ts'

const at = (iso: string): number => Date.parse(iso) / 1000

describe('weeks', () => {
  it('begin and end on Monday 00:00 UTC', () => {
    const monday = at('2026-07-27T00:00:00Z')
    expect(weekStartOf(monday)).toBe(monday)
    expect(weekStartOf(monday - 1)).toBe(monday - WEEK_S)
    expect(weekStartOf(monday + WEEK_S - 1)).toBe(monday)
    expect(weekEndOf(monday)).toBe(monday + WEEK_S)
    expect(weekEndOf(monday - 1)).toBe(monday)
  })

  it.each([
    ['2026-01-26T00:00:00Z', '2026-W05'],
    ['2026-12-31T12:00:00Z', '2026-W53'],
    ['2027-01-03T23:59:59Z', '2026-W53'],
    ['2027-01-04T00:00:00Z', '2027-W01'],
    ['2024-12-30T00:00:00Z', '2025-W01'],
    ['2023-01-01T00:00:00Z', '2022-W52'],
  ])('%s is in %s', (time, label) => {
    expect(isoWeekOf(at(time))).toBe(label)
  })

  it('number the parts of a week that was closed early', () => {
    const startS = at('2026-07-27T00:00:00Z')
    const cutS = startS + 100_000
    expect(labelOf({ startS, endS: startS + WEEK_S }, [])).toBe('2026-W31')
    expect(labelOf({ startS, endS: cutS }, ['2026-W30'])).toBe('2026-W31.1')
    expect(labelOf({ startS: cutS, endS: cutS + 9 }, ['2026-W31.1'])).toBe('2026-W31.2')
    expect(labelOf({ startS: cutS + 9, endS: startS + WEEK_S }, ['2026-W31.1', '2026-W31.2'])).toBe(
      '2026-W31.3',
    )
  })
})
