import { usdText } from '../money/dollars.ts'
import { FEE, TRADE } from '../numbers.ts'
import { rows } from './row.ts'

/** Errors of risk terms and trading policy. */
export const RISK_ERRORS = rows('risk', {
  RISK_NOT_ACCEPTED: {
    statuses: [422],
    extras: ['unaccepted', 'policy', 'risks'],
    retry: 'different_request',
    message: 'The trade has severe risks that were not accepted.',
    hint: 'Read the risks in `unaccepted`. If the owner accepts them, list their codes in accept_risks.',
  },
  RISK_BLOCKED: {
    statuses: [422],
    extras: ['blocked', 'policy', 'risks'],
    retry: 'different_request',
    message: 'A shield policy blocks this trade.',
    hint: '`blocked` lists the risk codes and `policy` the policy. Change the policies, or trade another token.',
  },
  MAX_NOTIONAL: {
    statuses: [422],
    extras: ['field', 'policy'],
    retry: 'different_request',
    message: `The trade is above the maximum of ${usdText(TRADE.maxNotionalUsd)}.`,
    hint: 'Split it into smaller trades.',
  },
  MIN_NOTIONAL: {
    statuses: [422],
    extras: ['field', 'policy'],
    retry: 'different_request',
    message: `The trade is below the minimum of ${usdText(TRADE.minNotionalUsd)}.`,
    hint: `Trade at least ${usdText(TRADE.minNotionalUsd)}.`,
  },
  MAX_SLIPPAGE: {
    statuses: [422],
    extras: ['field', 'policy'],
    retry: 'different_request',
    message: 'The slippage is above the maximum for this pair and size.',
    hint: 'Lower slippage_bps. The maximums are in GET config, limits.slippage_tolerance_by_size.',
  },
  MAX_FEE: {
    statuses: [422],
    retry: 'different_request',
    message: `The fee is above the server’s maximum of ${FEE.maxBps} bps.`,
    hint: 'Use a fee up to fee.max_bps in GET config.',
    unusedBecause: 'The server sets the fee: at most 60 bps including shield, below the maximum of 100 bps.',
  },
  FEE_FIXED: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The request sets fee_bps, but the fee comes from the fee schedule.',
    hint: 'Remove fee_bps. Use max_fee_bps to set the highest fee you accept.',
  },
  FEE_BPS: {
    statuses: [422],
    extras: ['field'],
    fastExtras: ['failures', 'terms'],
    retry: 'different_request',
    message: 'The fee does not match the fee class and shield, or is above max_fee_bps.',
    hint: 'Raise or remove max_fee_bps. In fast mode, use the fee in `terms.fee`.',
  },
  FEE_RECIPIENT_NOT_ALLOWED: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The request names another fee recipient than the pinned one.',
    hint: 'Remove fee_recipient.',
  },
  FEE_MISMATCH: {
    statuses: [422],
    extras: ['diffs'],
    retry: 'different_request',
    message:
      'The fee in the calldata differs from the one set by class, tier and shield, or by the session’s ' +
      'binding.',
    hint: 'Sign the transaction exactly as it was built.',
    unusedBecause:
      'Plans are built with the right fee, and a submitted transaction with another fee is NOT_AS_BUILT. ' +
      'Session trades are still checked before co-signing, and hosted agents hold orders with this code.',
  },
  ROUTE_VS_MID: {
    statuses: [422],
    extras: ['policy'],
    fastExtras: ['failures'],
    retry: 'fresh_plan',
    message: 'The route’s price is too far below the mid price of the reference pools.',
    hint: 'Plan again, use a smaller size, or wait until the pool’s price recovers.',
  },
  ROUTE_VS_REF: {
    statuses: [422],
    extras: ['policy'],
    retry: 'fresh_plan',
    message: 'The route’s price is too far from the token’s independent reference price.',
    hint: 'Plan again, or use a smaller size.',
  },
  NO_REFERENCE_MID: {
    statuses: [422],
    extras: ['policy'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The mid price of the reference pools cannot be read.',
    hint: 'Trade another pair, or try again later.',
  },
  LIMIT_NOT_REACHABLE: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The minimum output cannot be met at this size now.',
    hint: 'Lower min_amount_out, or wait for a better price.',
  },
  QUOTE_ONLY: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'This venue is quoted for comparison only; no trade is built through it.',
    hint: 'Choose a route with venue_pool or venue_curve.',
  },
  QUOTE_SIM_MISMATCH: {
    statuses: [422],
    extras: ['simulation'],
    retry: 'fresh_plan',
    message: 'The simulation delivers less than the quote.',
    hint: 'Plan again. If it happens again, the token probably taxes transfers.',
  },
  SIMULATION_FAILED: {
    statuses: [422],
    extras: ['simulation'],
    fastExtras: ['failures', 'simulation'],
    retry: 'different_request',
    message: 'The simulated trade reverted or delivered too little.',
    hint:
      'The simulation names the reason: balance, allowance, the token itself, or price. Correct it and ' +
      'plan again.',
  },
  DRY_RUN_UNFUNDABLE: {
    statuses: [422],
    retry: 'different_request',
    message: 'The dry run could not simulate a balance of this token.',
    hint: 'Send fund: false from a wallet that holds the token, or trade a small real amount.',
  },
  ROUTER_NOT_ALLOWED: {
    statuses: [422],
    retry: 'different_request',
    message: 'The service does not build or relay this kind of transaction.',
    hint: 'Prepare the trade with this API, or send the transaction through your own node.',
  },
  PARTICIPANT_TOKEN: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The league’s rules exclude this token for this account.',
    hint: 'Trade another token, or leave the league.',
  },
  TOKEN_TIER: {
    statuses: [],
    retry: 'no',
    message: 'Reports the token’s tier.',
    hint: 'No action needed; this check only informs.',
  },
  APPROVAL_MODE: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'approval_mode is not budget, exact or unlimited.',
    hint: 'Use one of these three values.',
  },
  APPROVAL_BUDGET: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: `The approval budget is not a positive amount up to ${usdText(TRADE.maxApprovalBudgetUsd)}.`,
    hint: `Set approval_budget_usd above 0 and up to ${usdText(TRADE.maxApprovalBudgetUsd)}.`,
  },
  UNLIMITED_APPROVAL: {
    statuses: [422],
    extras: ['field'],
    retry: 'different_request',
    message: 'An unlimited approval was requested without allow_unlimited_approval: true.',
    hint: 'Use a budget, which is safer, or send allow_unlimited_approval: true.',
  },
  UNLIMITED_APPROVAL_IN_PLACE: {
    statuses: [],
    retry: 'no',
    message: 'The wallet already has an unlimited approval.',
    hint: 'Revoke it with POST live/revoke if you do not need it.',
  },
  GEOFENCE: {
    statuses: [422],
    extras: ['field'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'Stock tokens require owner_attests_non_us: true.',
    hint:
      'Send owner_attests_non_us: true only if the owner is not a US person. Where stock tokens are not ' +
      'available it has no effect.',
  },
  STOCK_PAUSED: {
    statuses: [422],
    extras: ['field'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The issuer has paused this stock token.',
    hint: 'Try again after the issuer resumes trading.',
  },
  WALLET_BLOCKED: {
    statuses: [422],
    extras: ['field'],
    fastExtras: ['failures'],
    retry: 'different_request',
    message: 'The stock token’s registry blocks this wallet.',
    hint: 'Contact the issuer; only the issuer can unblock the wallet.',
  },
  NO_MARK: {
    statuses: [503],
    extras: ['field'],
    retry: 'pause',
    retryAfterS: 5,
    message: 'A token has no current price, so a size in USD cannot be converted.',
    hint:
      'Retry after the delay in Retry-After (usually 5 s). If `field` is notional_usd, send the size as ' +
      'amount_in instead.',
  },
})
