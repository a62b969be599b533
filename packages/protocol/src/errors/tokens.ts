import { TOKENS } from '../numbers.ts'
import { rows } from './row.ts'

/** Errors about a token's name, registry record or screen. */
export const TOKEN_ERRORS = rows('tokens', {
  NO_ROUTE: {
    statuses: [422],
    retry: 'different_request',
    message: 'No venue can build this trade.',
    hint: 'Check in the token’s record where it trades, then use another pair or another token.',
  },
  TOKEN_NOT_ALLOWED: {
    statuses: [422],
    extras: ['checks', 'field'],
    retry: 'different_request',
    message: 'The symbol is not a core asset, or the token is not in the session’s list.',
    hint: 'Use the token’s address or a symbol from `tokens` in GET config. In a session, use one of its tokens.',
  },
  TOKEN_UNKNOWN: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The address is not an ERC-20 token on this chain.',
    hint: 'Check the address in a block explorer. Wallets and pools are not tokens.',
  },
  UNKNOWN_TOKEN: {
    statuses: [404, 422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The address is not in the token registry, or is not a token.',
    hint: 'Check the address in a block explorer.',
    unusedBecause:
      'GET tokens/<address> never returns it: an address outside the registry is screened at once and gets a ' +
      'record or NOT_A_TOKEN. A session grant does return it.',
  },
  NOT_A_TOKEN: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'The address is not an ERC-20 token on this chain.',
    hint: 'Check the address in a block explorer. Wallets and pools are not tokens.',
  },
  SAME_TOKEN: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'Input and output are the same token.',
    hint: 'Choose two different tokens. ETH and WETH count as different.',
  },
  TOKEN_CHANGED: {
    statuses: [409],
    retry: 'fresh_plan',
    message: 'The code behind the token’s proxy changed since it was screened; it is being screened again.',
    hint: 'Read the token again in a few seconds, review what changed, then plan the trade again.',
  },
  SCREEN_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The token cannot be screened now because all slots are busy.',
    hint: 'Retry after the delay in Retry-After (usually 5 s).',
  },
  REGISTRY_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The token registry does not respond.',
    hint: 'Retry after the delay in Retry-After (usually 5 s). Core assets can still be traded.',
  },
  STATS_PENDING: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 2,
    message: 'The token registry is still making its first count.',
    hint: 'Retry after the delay in Retry-After (usually 2 s).',
  },
  AUDIT_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 15,
    message: 'The token’s audit verdict could not be read, and shield never treats that as verified.',
    hint: `Retry after ${TOKENS.auditRetryAfterS} s, or trade without shield.`,
  },
})
