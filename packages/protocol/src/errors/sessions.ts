import { rows } from './row.ts'

export const SESSION_ERRORS = rows({
  SESSIONS_UNAVAILABLE: {
    statuses: [503],
    group: 'sessions',
    extras: [],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Not running.',
    hint: 'Wait Retry-After seconds.',
  },
})
