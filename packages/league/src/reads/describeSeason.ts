import { type Answer, LEAGUE } from '@pit/protocol'
import { type SeasonSpan, seasonDay, seasonName } from '../rules/index.ts'
import type { SeasonRow } from '../season/store.ts'

export type Season = NonNullable<Answer<'league'>['season']>

/** A season's current state; without a row it was not opened: it is upcoming, or a job is late. */
export function describeSeason(span: SeasonSpan, row: SeasonRow | null, nowS: number): Season {
  const { number, startsAtS, endsAtS } = span
  const isUpcoming = nowS < startsAtS
  const state = row?.state ?? (isUpcoming ? 'upcoming' : nowS < endsAtS ? 'open' : 'closing')
  const until = isUpcoming ? startsAtS : endsAtS
  return {
    number,
    name: seasonName(number),
    starts_at: startsAtS,
    ends_at: endsAtS,
    starts: words(startsAtS),
    ends: words(endsAtS),
    days: LEAGUE.seasonDays,
    // From the second it ends a season is not open, even if no job has run.
    state: state === 'open' && nowS >= endsAtS ? 'closing' : state,
    seconds_left: Math.max(0, until - nowS),
    day: seasonDay(span, nowS),
    status: isUpcoming ? 'upcoming' : nowS < endsAtS ? 'open' : state === 'open' ? 'closing' : state,
  }
}

/** Monday 5 January 2026, 00:00 UTC */
function words(timeS: number): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(timeS * 1000)
  return `${day.replace(',', '')}, ${new Date(timeS * 1000).toISOString().slice(11, 16)} UTC`
}
