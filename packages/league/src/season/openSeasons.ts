import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { LEAGUE, microUsdDown } from '@pit/protocol'
import type { LeagueDeps } from '../deps.ts'
import { emptyBook, encodeBook, RULES_VERSION, type SeasonSpan, seasonAt, seasonOf } from '../rules/index.ts'
import { lastSeason } from './store.ts'

const START_MICRO_USD = microUsdDown(LEAGUE.practiceBookUsdg)
const BOOKS_PER_ROUND = 200

type OpenDeps = Pick<LeagueDeps, 'db' | 'clock' | 'paper' | 'logger'> & { firstSeasonS: number }

/**
 * Opens the current season, with a book for every prize entrant. Seasons that passed without being opened are
 * marked as missed.
 */
export async function openSeasons({ db, clock, firstSeasonS, logger }: OpenDeps): Promise<void> {
  const now = nowS(clock)
  const current = seasonAt(firstSeasonS, now)
  if (!current || (await lastSeason(db)) >= current.number) return
  await db.transaction(async (sql) => {
    for (let number = (await lastSeason(sql)) + 1; number < current.number; number++) {
      const missed = await insertMissed(sql, seasonOf(firstSeasonS, number))
      if (missed) logger.warn({ season: number }, 'a season passed without being opened')
    }
    if (await insertOpen(sql, current, now)) logger.info({ season: current.number }, 'season opened')
  })
}

async function insertMissed(sql: Sql, { number, startsAtS, endsAtS }: SeasonSpan): Promise<boolean> {
  const outcome = {
    eligible_agents: 0,
    eligible_owners: 0,
    active_clusters: 0,
    pays: false,
    why: 'the league did not run',
  }
  const made = await sql.query(
    `insert into league_seasons (number, starts_at_s, ends_at_s, state, missed, outcome)
     values ($1, $2, $3, 'settled', true, $4::jsonb) on conflict (number) do nothing returning 1`,
    [number, startsAtS, endsAtS, JSON.stringify(outcome)],
  )
  return made.length > 0
}

/** Inserts the season and a book for every entrant at that time. */
async function insertOpen(
  sql: Sql,
  { number, startsAtS, endsAtS }: SeasonSpan,
  now: number,
): Promise<boolean> {
  const made = await sql.query(
    `insert into league_seasons (number, starts_at_s, ends_at_s, state, opened_at_s, rules_version)
     values ($1, $2, $3, 'open', $4, $5) on conflict (number) do nothing returning 1`,
    [number, startsAtS, endsAtS, now, RULES_VERSION],
  )
  if (made.length === 0) return false
  await sql.query(
    `insert into league_books (season, entry_id, book)
     select $1, id, $2::jsonb from league_entries
     where board = 'prize' and left_at_s is null and from_season <= $1`,
    [number, JSON.stringify(encodeBook(emptyBook(startsAtS)))],
  )
  return true
}

/**
 * Opens books for entrants who entered before the running season started but were stored after it was opened.
 * The next run takes their trades.
 */
export async function openMissingBooks({ db, logger }: OpenDeps, span: SeasonSpan): Promise<number> {
  const book = JSON.stringify(encodeBook(emptyBook(span.startsAtS)))
  const made = await db.query(
    `insert into league_books (season, entry_id, book)
     select s.number, e.id, $2::jsonb from league_seasons s
     join league_entries e on e.board = 'prize' and e.left_at_s is null and e.from_season <= s.number
       and e.entered_at_s < s.starts_at_s
     where s.number = $1 and s.state = 'open'
       and not exists (select 1 from league_books b where b.season = s.number and b.entry_id = e.id)
     for share of s on conflict do nothing returning 1`,
    [span.number, book],
  )
  if (made.length > 0)
    logger.info({ season: span.number, books: made.length }, 'late entries got their books')
  return made.length
}

/**
 * Opens missing paper books of practice entrants, some at a time. The store allows one book per entrant and
 * season.
 */
export async function openPracticeBooks({ db, clock, paper }: OpenDeps, span: SeasonSpan): Promise<number> {
  const now = nowS(clock)
  if ((await entrantsWithoutBook(db, span.number, 1)).length === 0) return 0
  return db.transaction(async (sql) => {
    const [season] = await sql.query<{ state: string }>(
      'select state from league_seasons where number = $1 for share',
      [span.number],
    )
    if (season?.state !== 'open' || now >= span.endsAtS) return 0
    const waiting = await entrantsWithoutBook(sql, span.number, BOOKS_PER_ROUND)
    for (const { id } of waiting) {
      const owner = `practice:${span.number}:${id}`
      const bookId = await paper.openBook(sql, { owner, startMicroUsd: START_MICRO_USD, atS: now })
      await sql.query(
        `insert into league_practice_books (season, entry_id, book_id) values ($1, $2, $3)
         on conflict do nothing`,
        [span.number, id, bookId],
      )
    }
    return waiting.length
  })
}

const entrantsWithoutBook = (sql: Sql, season: number, limit: number): Promise<{ id: number }[]> =>
  sql.query<{ id: number }>(
    `select e.id from league_entries e
     where e.board = 'practice' and e.left_at_s is null and e.from_season <= $1
       and not exists (select 1 from league_practice_books b where b.season = $1 and b.entry_id = e.id)
     order by e.id limit $2`,
    [season, limit],
  )
