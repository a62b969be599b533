import { rows } from './row.ts'

export const LEAGUE_ERRORS = rows({
  LEAGUE_UNAVAILABLE: {
    statuses: [503],
    group: 'league',
    extras: [],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Not running.',
    hint: 'Wait Retry-After seconds.',
  },
})
