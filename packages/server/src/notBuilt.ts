import type { RouteId } from '@pit/protocol'

/** Routes whose feature does not exist yet: each answers the documented 503 of its area. */
export const NOT_BUILT = {
  league: 'not built',
  'league.standings': 'not built',
  'league.seasons': 'not built',
  'league.season': 'not built',
  'league.reserve': 'not built',
  'league.me': 'not built',
  'league.statement': 'not built',
  'league.enter': 'not built',
  'league.confirm': 'not built',
  'league.leave': 'not built',
  'paper.order': 'not built',
  'paper.book': 'not built',
} as const satisfies Partial<Record<RouteId, 'not built'>>
