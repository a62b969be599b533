import { isPitError } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps } from '../deps.ts'
import { activeForEntrant } from '../entries/store.ts'
import { playingNow } from './playing.ts'

/** For a hosted agent's tick: null if it does not play, its season's book, or the reason to hold. */
export type PracticeGate =
  | null
  | { bookId: number }
  | { hold: 'SEASON_CLOSED' | 'LEAGUE_BOOK_PENDING' | 'LEAGUE_UNAVAILABLE'; message: string }

/** Until its first season starts, an agent uses its own paper book. */
export async function practiceGate(deps: LeagueDeps, hostedId: string): Promise<PracticeGate> {
  if (deps.firstSeasonS === null) return null
  try {
    const entrant = { kind: 'hosted', wallet: '0x', hostedId } as const
    const entry = await activeForEntrant(deps.db, entrant)
    if (!entry) return null
    const playing = await playingNow(deps, firstSeasonOf(deps), entry)
    if (playing.state === 'plays') return { bookId: playing.bookId }
    if (playing.state === 'waits') return null
    const hold = playing.state === 'closed' ? 'SEASON_CLOSED' : 'LEAGUE_BOOK_PENDING'
    return { hold, message: `The practice board holds this decision: ${playing.why}.` }
  } catch (error) {
    if (isPitError(error)) throw error
    deps.logger.warn({ err: error, hostedId }, 'practice board cannot be read')
    return { hold: 'LEAGUE_UNAVAILABLE', message: 'The league cannot be read now.' }
  }
}
