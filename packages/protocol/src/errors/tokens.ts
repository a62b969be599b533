import { rows } from './row.ts'

export const TOKEN_ERRORS = rows({
  REGISTRY_UNAVAILABLE: {
    statuses: [503],
    group: 'tokens',
    extras: [],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Not running.',
    hint: 'Wait Retry-After seconds.',
  },
})
