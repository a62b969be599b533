import { RULES } from './numbers.ts'
import type { SeasonSpan } from './seasons.ts'

/** A season that was opened; before that it is upcoming, or was missed. */
export type OpenedState = 'open' | 'closing' | 'provisional' | 'decided' | 'settled'

export interface StateFacts {
  span: SeasonSpan
  state: OpenedState
  nowS: number
  /** Every book is valued as of the season's end. */
  booksFinal: boolean
  /** An entrant who would win has a rule that a person or a reading still has to settle. */
  undecidedWinner: boolean
  /** One would win, but the registry could not be asked who owns the agent: an outage decides nothing. */
  unreadWinner: boolean
  /** Nothing of the ledger is open and nobody is owed a prize. */
  nothingToPay: boolean
}

/** The state that follows now, or null to stay. One step at a time: a job that is late takes them one after another. */
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
