import { rows } from './row.ts'

/** Errors of trades on a launchpad curve. */
export const CURVE_ERRORS = rows('curve', {
  CURVE_PAIR: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'A launchpad curve trades only against its own pair token.',
    hint: 'Trade it against the pair token in the token’s record.',
  },
  CURVE_GRADUATED: {
    statuses: [422],
    retry: 'different_request',
    message: 'The curve has graduated, or this buy would graduate it and be filled only partly.',
    hint: 'Trade the token through its pool, or buy less.',
  },
  SNIPE_TAX: {
    statuses: [422],
    extras: ['why'],
    retry: 'pause',
    retryAfterS: 5,
    message: 'A snipe tax applies in the first seconds after a launch.',
    hint: 'Retry in a few seconds, when the tax has ended.',
  },
  FEE_MODE: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The curve fee mode does not work with this wallet.',
    hint: 'Use auto or two_step. The batch mode needs a delegated (EIP-7702) wallet.',
  },
  FEE_TOO_SMALL: {
    statuses: [422],
    retry: 'different_request',
    message: 'The trade is so small that its fee would round to zero.',
    hint: 'Increase the trade size.',
  },
  FEE_FIRST: {
    statuses: [422],
    extras: ['sent'],
    retry: 'different_request',
    message: 'The fee of a curve trade must be sent before its swap.',
    hint:
      'Send both in raw_txs; `sent` lists what was sent. If only the fee was mined, prepare again and ' +
      'send the new swap with fee_tx_hash.',
  },
})
