import { rows } from './row.ts'

/** What a launchpad curve refuses. */
export const CURVE_ERRORS = rows('curve', {
  CURVE_PAIR: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'A launchpad curve trades only against its own pair token.',
    hint: "The token's record names its pair.",
  },
  CURVE_GRADUATED: {
    statuses: [422],
    retry: 'different_request',
    message: 'The curve graduated, or this buy would reach graduation and fill only partly.',
    hint: 'Trade it through its pool, or buy less.',
  },
  SNIPE_TAX: {
    statuses: [422],
    extras: ['why'],
    retry: 'pause',
    retryAfterS: 5,
    message: "A snipe tax applies in a launch's first seconds.",
    hint: 'Retry later, when the tax has run out.',
  },
  FEE_MODE: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'This curve fee mode does not fit the wallet.',
    hint: 'batch needs a delegated wallet; auto chooses for you.',
  },
  FEE_TOO_SMALL: {
    statuses: [422],
    retry: 'different_request',
    message: 'The fee would round to zero.',
    hint: 'Trade more.',
  },
  FEE_FIRST: {
    statuses: [422],
    extras: ['sent'],
    retry: 'different_request',
    message: "A curve trade's fee goes first.",
    hint:
      'Send all together in raw_txs; `sent` says what went out. A fee mined without its swap pays for the ' +
      'next: prepare again, send that swap with fee_tx_hash.',
  },
})
