import { rows } from './row.ts'

export const HOSTED_ERRORS = rows({
  HOSTED_UNAVAILABLE: {
    statuses: [503],
    group: 'hosted',
    extras: [],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Not running.',
    hint: 'Wait Retry-After seconds.',
  },
})
