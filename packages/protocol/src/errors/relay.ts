import { rows } from './row.ts'

export const RELAY_ERRORS = rows({
  LIVE_UNAVAILABLE: {
    statuses: [503],
    group: 'relay',
    extras: [],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Not running.',
    hint: 'Wait Retry-After seconds.',
  },
})
