import { rows } from './row.ts'

/** What stands between a signed transaction and the chain. */
export const RELAY_ERRORS = rows('relay', {
  SUBMIT_DISABLED: {
    statuses: [403, 503],
    retry: 'no',
    message: 'This server does not relay.',
    hint: 'Send the transaction through any RPC of the chain; such trades count for no volume tier.',
  },
  NOT_AS_BUILT: {
    statuses: [422],
    extras: ['diffs'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'This is not a transaction built for this key, or its fee differs.',
    hint: '`diffs` names the fields. Sign exactly what was answered.',
  },
  SUBMIT_REJECTED: {
    statuses: [422],
    extras: ['why', 'sent'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The sequencer refused the transaction, or it could not be decoded.',
    hint: 'Read the message: nonce, funds, gas or a missing step. In fast mode look for the hash first.',
  },
  SEQUENCER_UNREACHABLE: {
    statuses: [502],
    extras: ['sent', 'tx_hash'],
    fastExtras: ['failures'],
    retry: 'look_first',
    message: 'The sequencer did not answer; the transaction may have arrived.',
    hint: 'Look for its receipt before signing another with the same nonce.',
  },
  RPC_UNAVAILABLE: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 2,
    message: "The chain's RPC did not answer, or could not say whether a token is a stock token.",
    hint: 'Wait Retry-After seconds.',
  },
  VENUE_FAILED: {
    statuses: [502],
    retry: 'pause',
    retryAfterS: 2,
    message: "A venue's quote or curve read failed.",
    hint: 'Wait, or leave that venue out.',
  },
  LIVE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The trading layer is not running.',
    hint: 'Wait Retry-After seconds; GET health says how it is.',
  },
})
