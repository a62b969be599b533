import { nowS } from '@pit/platform/clock'
import type { LeagueDeps } from '../deps.ts'
import type { StoredEntry } from '../entries/store.ts'
import { seasonAt, seasonOf } from '../rules/index.ts'
import { readSeason } from '../season/store.ts'

/** Whether a practice entrant can trade now, and by which book. */
export type Playing =
  | { state: 'plays'; season: number; bookId: number }
  /** Its first season has not started. */
  | { state: 'waits'; why: string }
  /** Its season is not open: it ended, or no job has opened it yet. */
  | { state: 'closed'; why: string }
  | { state: 'book pending'; why: string }

export async function playingNow(
  { db, clock }: Pick<LeagueDeps, 'db' | 'clock'>,
  firstSeasonS: number,
  entry: Pick<StoredEntry, 'id' | 'from_season'>,
): Promise<Playing> {
  const season = seasonAt(firstSeasonS, nowS(clock))
  if (!season || entry.from_season > season.number) {
    const first = seasonOf(firstSeasonS, entry.from_season)
    return {
      state: 'waits',
      why: `it plays from season ${first.number}, which starts ${dateOf(first.startsAtS)}`,
    }
  }
  const row = await readSeason(db, season.number)
  if (row?.state !== 'open') return { state: 'closed', why: `season ${season.number} is about to be opened` }
  const [book] = await db.query<{ book_id: number }>(
    'select book_id from league_practice_books where season = $1 and entry_id = $2',
    [season.number, entry.id],
  )
  if (!book) return { state: 'book pending', why: `its book of season ${season.number} is being opened` }
  return { state: 'plays', season: season.number, bookId: book.book_id }
}

const dateOf = (timeS: number): string => new Date(timeS * 1000).toISOString().replace('.000Z', 'Z')
