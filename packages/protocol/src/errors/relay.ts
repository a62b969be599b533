import { rows } from './row.ts'

/** Errors of relaying signed transactions and reading the chain. */
export const RELAY_ERRORS = rows('relay', {
  SUBMIT_DISABLED: {
    statuses: [403, 503],
    retry: 'no',
    message: 'This server does not relay transactions.',
    hint: 'Send the transaction through any node of the chain. Such trades do not count for volume tiers.',
  },
  NOT_AS_BUILT: {
    statuses: [422],
    extras: ['diffs'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The transaction was not built for this key, or its fee differs.',
    hint: 'Sign exactly the transaction that was returned; `diffs` lists what differs.',
  },
  SUBMIT_REJECTED: {
    statuses: [422],
    extras: ['why', 'sent'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The sequencer rejected the transaction, or it could not be decoded.',
    hint:
      'Correct what the message names: nonce, funds, gas or a missing step. In fast mode, look for the ' +
      'hash first.',
  },
  SEQUENCER_UNREACHABLE: {
    statuses: [502],
    extras: ['sent', 'tx_hash'],
    fastExtras: ['failures'],
    retry: 'look_first',
    message: 'The sequencer did not respond; the transaction may have arrived.',
    hint: 'Look for its receipt before you sign another transaction with the same nonce.',
  },
  RPC_UNAVAILABLE: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 2,
    message: 'The chain’s RPC did not respond, or could not determine whether a token is a stock token.',
    hint: 'Retry after the delay in Retry-After (usually 2 s).',
  },
  VENUE_FAILED: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 2,
    message: 'Reading a venue’s quote or curve failed.',
    hint: 'Retry after the delay in Retry-After (usually 2 s), or exclude that venue.',
  },
  LIVE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'Trading is not running on this server.',
    hint: 'Retry after the delay in Retry-After (usually 5 s); GET health shows the current state.',
  },
})
