import { usdText } from '../money/dollars.ts'
import { CHAIN_ID, FAST } from '../numbers.ts'
import { rows } from './row.ts'

/** Fast mode's own rules; FAST_RULES has their order. */
export const FAST_ERRORS = rows('fast', {
  FAST_DISABLED: {
    statuses: [403],
    extras: ['failures'],
    retry: 'no',
    message: 'Fast mode is off on this server.',
    hint: 'Use live/prepare and live/submit.',
  },
  TX_ENCODING: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The transaction is not canonical RLP with a low-s signature and an empty access list.',
    hint: 'Encode and sign it again with a strict library and without an access list.',
  },
  FAST_PAIR: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'This pair has no pinned fast route in this direction.',
    hint: 'Use live/prepare, or a pair listed in live/fast/terms.',
  },
  MARKET_CLOSED: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message:
      'The US stock-token session is closed. It runs from Sunday 20:00 to Friday 20:00, New York time.',
    hint: 'Wait until it opens, or use live/prepare.',
  },
  PRICE_STALE: {
    statuses: [503],
    extras: ['failures', 'terms'],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The oracle mark of a token in this pair is missing or stale.',
    hint: 'Retry after the delay in Retry-After (usually 5 s), or use live/prepare.',
  },
  TX_TYPE: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: `The transaction is not EIP-1559 (type ${FAST.txType}).`,
    hint: `Build and sign a type ${FAST.txType} transaction.`,
  },
  CHAIN_ID: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: `The transaction is not for chain ${CHAIN_ID}.`,
    hint: `Sign it with chain id ${CHAIN_ID}.`,
  },
  ROUTER: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The transaction is not addressed to the pinned router.',
    hint: 'Send it to universal_router in GET config.',
  },
  VALUE: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The transaction’s value is not the trade’s ETH input.',
    hint: 'Set value to amount_in for an ETH input, and to 0 for a token input.',
  },
  NOTIONAL: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: `The trade is below ${usdText(FAST.minNotionalUsd)} or above this server’s fast-mode maximum.`,
    hint: `Trade from ${usdText(FAST.minNotionalUsd)} to max_notional_usd (live/fast/terms), or use live/prepare.`,
  },
  ROUTE_CAP: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The trade is above the size cap of its pinned route.',
    hint: 'Use a smaller size, or live/prepare.',
  },
  DEADLINE: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: `The deadline has passed or is more than ${FAST.deadlineMaxS} s away.`,
    hint: `Set it at most ${FAST.deadlineMaxS} s after server_time.`,
  },
  GAS: {
    statuses: [422],
    extras: ['failures', 'terms'],
    retry: 'different_request',
    message: 'The gas limit, fee cap, tip or maximum gas cost is out of range.',
    hint:
      `Use a fee cap up to ${FAST.maxFeePerGasBaseFeeMultiple} times \`terms.base_fee_wei\`, and a gas ` +
      'limit times fee cap up to `terms.max_cost_wei`.',
  },
  MIN_OUT: {
    statuses: [422],
    extras: ['failures', 'terms'],
    retry: 'different_request',
    message: 'min_out is too far below the simulated output or the oracle marks.',
    hint: 'Set min_out to at least `terms.floor`.',
  },
  AMOUNT_USD: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: `The value of amount_in differs from amount_usd by more than ${FAST.amountUsdTolerancePct}%.`,
    hint: 'Calculate amount_in again with current marks.',
  },
  CLIENT_CAP: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The value of amount_in is above the request’s own max_notional_usd.',
    hint: 'Lower amount_in, or raise max_notional_usd.',
  },
  PERMIT: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The permit is not for exactly this trade, expires too late, or comes with an ETH input.',
    hint: 'Permit exactly amount_in to the router. An ETH input needs no permit.',
  },
  POOL_FAR: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message:
      'The pinned pool pays less than the oracle marks by more than its fee and the band of ' +
      `${FAST.bandBpsUsdg} or ${FAST.bandBpsCross} bps.`,
    hint: 'Wait until the pool’s price recovers, or use live/prepare.',
  },
  FAST_FUNDS: {
    statuses: [422],
    extras: ['failures'],
    retry: 'different_request',
    message: 'The wallet does not hold what the transaction spends, gas included.',
    hint: 'Add funds to the wallet, or trade less.',
  },
  NONCE: {
    statuses: [422],
    extras: ['failures', 'chain'],
    retry: 'look_first',
    message: 'The sequencer rejected the nonce, and the chain does not show this transaction.',
    hint:
      'If `chain.spent` is true, another transaction used the nonce: sign again. Otherwise it may still ' +
      'be mined: look for it first.',
  },
  IN_FLIGHT: {
    statuses: [409],
    extras: ['failures'],
    retry: 'look_first',
    message: 'Another call is already relaying the same signed transaction.',
    hint: 'Wait for that call’s response, or look for the transaction’s hash.',
  },
})
