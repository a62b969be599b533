import { rows } from './row.ts'

/** What a token's name, registry row or screen refuses. */
export const TOKEN_ERRORS = rows('tokens', {
  NO_ROUTE: {
    statuses: [422],
    retry: 'different_request',
    message: 'No venue can build a trade of this token.',
    hint: 'The only refusal about a token itself. Its record says where it trades, if anywhere.',
  },
  TOKEN_NOT_ALLOWED: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'Only core symbols or addresses name a token here, and a session trades only its own tokens.',
    hint: 'Name the token by its address, or by a symbol listed in GET config `tokens`.',
  },
  TOKEN_UNKNOWN: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The address is not an ERC-20 contract on this chain.',
    hint: "Check the address on the chain's explorer; a wallet or a pool is not a token.",
  },
  UNKNOWN_TOKEN: {
    statuses: [404, 422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The address is not in the registry, or not a token.',
    hint: "Check the address on the chain's explorer.",
    kept:
      'Only tokens/<address> does not answer it: an address that is not in the registry is screened at once, ' +
      'so it has a record or is NOT_A_TOKEN. A session grant answers it.',
  },
  NOT_A_TOKEN: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'The address is not an ERC-20 contract on this chain.',
    hint: 'Check the address; a wallet or a pool is not a token.',
  },
  SAME_TOKEN: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'Input and output are the same token.',
    hint: 'ETH and WETH are different tokens; name two different ones.',
  },
  TOKEN_CHANGED: {
    statuses: [409],
    retry: 'fresh_plan',
    message: "The token's proxy runs other code than the one its screen read; it is being screened again.",
    hint: 'Read its record again in some seconds, look at what changed, then plan anew.',
  },
  SCREEN_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The token cannot be screened now: all slots are busy.',
    hint: 'Wait Retry-After seconds and ask again.',
  },
  REGISTRY_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The token registry does not answer.',
    hint: 'Wait Retry-After seconds. Core symbols keep trading.',
  },
  STATS_PENDING: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 2,
    message: "The registry's first count is still running.",
    hint: 'Wait Retry-After seconds.',
  },
  AUDIT_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 15,
    message: 'The audit verdict could not be read; it is never taken as verified.',
    hint: 'Retry after 15 s, or trade without shield.',
  },
})
