import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mondayOf,
  nextSeasonAt,
  nextState,
  readFirstSeason,
  type StateFacts,
  seasonAt,
  seasonDay,
  seasonOf,
} from './seasons.ts'

const FIRST = readFirstSeason('2026-01-05')

describe('seasons', () => {
  it('begin on the Monday the profile names, and on no other day', () => {
    expect(new Date(FIRST * 1000).toISOString()).toBe('2026-01-05T00:00:00.000Z')
    for (const wrong of ['2026-01-06', '2026-1-5', '2026-02-30', 'monday', ''])
      expect(() => readFirstSeason(wrong), wrong).toThrow()
  })

  it('follow each other without a gap: every second after the first start is of exactly one', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST, max: FIRST + 10 ** 9 }), (timeS) => {
        const span = seasonAt(FIRST, timeS)!
        expect(seasonOf(FIRST, span.number)).toEqual(span)
        expect(timeS >= span.startsAtS && timeS < span.endsAtS).toBe(true)
        expect(span.endsAtS).toBe(seasonOf(FIRST, span.number + 1).startsAtS)
        expect(mondayOf(span.startsAtS)).toBe(span.startsAtS)
        expect(nextSeasonAt(FIRST, timeS).number).toBe(span.number + 1)
      }),
    )
  })

  it('end at the second the next one starts', () => {
    const first = seasonOf(FIRST, 1)
    expect(seasonAt(FIRST, first.endsAtS - 1)?.number).toBe(1)
    expect(seasonAt(FIRST, first.endsAtS)?.number).toBe(2)
    expect(seasonDay(first, first.startsAtS)).toBe(1)
    expect(seasonDay(first, first.endsAtS - 1)).toBe(14)
    expect(seasonDay(first, first.endsAtS)).toBeNull()
  })

  it('have none before the first, and an entry made then plays from it', () => {
    expect(seasonAt(FIRST, FIRST - 1)).toBeNull()
    expect(nextSeasonAt(FIRST, FIRST - 1).number).toBe(1)
  })
})

describe('a season’s states', () => {
  const span = seasonOf(FIRST, 3)
  const facts = (own: Partial<StateFacts>): StateFacts => ({
    span,
    state: 'open',
    nowS: span.endsAtS,
    booksFinal: false,
    undecidedWinner: false,
    unreadWinner: false,
    nothingToPay: false,
    ...own,
  })
  const DAY = 86_400

  it('stay open to the last second', () => {
    expect(nextState(facts({ nowS: span.endsAtS - 1 }))).toBeNull()
    expect(nextState(facts({}))).toBe('closing')
  })
  it('wait for every book', () => {
    expect(nextState(facts({ state: 'closing' }))).toBeNull()
    expect(nextState(facts({ state: 'closing', booksFinal: true }))).toBe('provisional')
  })
  it('leave three days for review, and longer if a winner has an open rule', () => {
    const after = (days: number, undecidedWinner: boolean) =>
      nextState(facts({ state: 'provisional', nowS: span.endsAtS + days * DAY, undecidedWinner }))
    expect(after(2.99, false)).toBeNull()
    expect(after(3, false)).toBe('decided')
    expect(after(13.99, true)).toBeNull()
    expect(after(14, true)).toBe('decided')
  })
  it('are not decided by an outage of the registry', () => {
    const late = { state: 'provisional', nowS: span.endsAtS + 40 * DAY, undecidedWinner: true } as const
    expect(nextState(facts({ ...late, unreadWinner: true }))).toBeNull()
    expect(nextState(facts(late))).toBe('decided')
  })
  it('settle by themselves only if nothing is to be paid', () => {
    expect(nextState(facts({ state: 'decided' }))).toBeNull()
    expect(nextState(facts({ state: 'decided', nothingToPay: true }))).toBe('settled')
    expect(nextState(facts({ state: 'settled', nothingToPay: true }))).toBeNull()
  })
})
