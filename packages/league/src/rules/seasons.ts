import { DAY_S, LEAGUE } from '@pit/protocol'
import { RULES } from './numbers.ts'

const LENGTH_S = LEAGUE.seasonDays * DAY_S
const WEEK_S = 7 * DAY_S
/** The first Monday 00:00 UTC after 1970 began. */
const FIRST_MONDAY_S = 4 * DAY_S

/** A season is [startsAtS, endsAtS): a trade mined at the second it ends belongs to the next one. */
export interface SeasonSpan {
  number: number
  startsAtS: number
  endsAtS: number
}

export const mondayOf = (timeS: number): number =>
  timeS - ((((timeS - FIRST_MONDAY_S) % WEEK_S) + WEEK_S) % WEEK_S)

/** Start of season 1, from an ISO date such as 2026-01-05, which has to be a Monday. */
export function readFirstSeason(date: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== date)
    throw new Error(`the first season "${date}" is not a date such as 2026-01-05`)
  const startS = ms / 1000
  if (mondayOf(startS) !== startS) throw new Error(`the first season ${date} is not a Monday`)
  return startS
}

export function seasonOf(firstS: number, number: number): SeasonSpan {
  const startsAtS = firstS + (number - 1) * LENGTH_S
  return { number, startsAtS, endsAtS: startsAtS + LENGTH_S }
}

/** The season a time is in; null before the first. */
export function seasonAt(firstS: number, timeS: number): SeasonSpan | null {
  if (timeS < firstS) return null
  return seasonOf(firstS, Math.floor((timeS - firstS) / LENGTH_S) + 1)
}

/** The first season of an entry made now. */
export const nextSeasonAt = (firstS: number, timeS: number): SeasonSpan =>
  seasonOf(firstS, (seasonAt(firstS, timeS)?.number ?? 0) + 1)

export const seasonName = (number: number): string => `Season ${number}`

/** The day of a season a time is in, from 1; null outside it. */
export function seasonDay({ startsAtS, endsAtS }: SeasonSpan, timeS: number): number | null {
  return timeS < startsAtS || timeS >= endsAtS ? null : Math.floor((timeS - startsAtS) / DAY_S) + 1
}

/** A season that was opened; before that it is upcoming, or was missed. */
export type OpenedState = 'open' | 'closing' | 'provisional' | 'decided' | 'settled'

export interface StateFacts {
  span: SeasonSpan
  state: OpenedState
  nowS: number
  /** Every book is valued as of the season's end. */
  booksFinal: boolean
  /** An entrant who would win has a rule that a review or a reading still has to settle. */
  undecidedWinner: boolean
  /** An entrant would win, but its owner could not be read: an outage must not decide a season. */
  unreadWinner: boolean
  /** The ledger is complete and no prize is to be paid. */
  nothingToPay: boolean
}

/** The next state, or null to stay. One step at a time, also for a job that is late. */
export function nextState({ span, state, nowS, ...facts }: StateFacts): OpenedState | null {
  const sinceEndS = nowS - span.endsAtS
  if (sinceEndS < 0) return null
  if (state === 'open') return 'closing'
  if (state === 'closing') return facts.booksFinal ? 'provisional' : null
  if (state === 'provisional') {
    if (sinceEndS >= RULES.reviewLatestS) return facts.unreadWinner ? null : 'decided'
    return sinceEndS >= RULES.reviewS && !facts.undecidedWinner ? 'decided' : null
  }
  if (state === 'decided') return facts.nothingToPay ? 'settled' : null
  return null
}
