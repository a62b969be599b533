import { FAST_RULES } from '../errors/fastRules.ts'
import type { ErrorCode, RefusalCode } from '../errors/table.ts'

/** Errors of fee and development-only fields. */
export const REFUSED_TRADE_FIELDS = {
  fee_bps: 'FEE_FIXED',
  fee_recipient: 'DEV_DISABLED',
  assume_state: 'DEV_DISABLED',
} as const satisfies { readonly [field: string]: RefusalCode }

/** Errors of reading two tokens and a size. */
export const QUOTE_ERRORS = [
  'NO_ROUTE',
  'TOKEN_NOT_ALLOWED',
  'SAME_TOKEN',
  'TOKEN_UNKNOWN',
  'SCREEN_UNAVAILABLE',
  'AUDIT_UNAVAILABLE',
  'REGISTRY_UNAVAILABLE',
  'NO_MARK',
  'RPC_UNAVAILABLE',
  'VENUE_FAILED',
] as const satisfies readonly ErrorCode[]

/** The practice board quotes only core assets, without shield, and applies the policy of a plan. */
export const PRACTICE_QUOTE_ERRORS = [
  'RISK_NOT_ACCEPTED',
  'ROUTE_VS_MID',
  'NO_REFERENCE_MID',
  'NO_ROUTE',
  'TOKEN_NOT_ALLOWED',
  'SAME_TOKEN',
  'REGISTRY_UNAVAILABLE',
  'NO_MARK',
  'RPC_UNAVAILABLE',
  'VENUE_FAILED',
] as const satisfies readonly ErrorCode[]

/** Errors of a plan's simulation. */
const SIMULATION_ERRORS = [
  'SIMULATION_FAILED',
  'QUOTE_SIM_MISMATCH',
  'DRY_RUN_UNFUNDABLE',
] as const satisfies readonly ErrorCode[]

/** Errors of fields that only plan requests have. */
const APPROVAL_ERRORS = [
  'APPROVAL_MODE',
  'APPROVAL_BUDGET',
  'UNLIMITED_APPROVAL',
  'FEE_MODE',
  'FEE_RECIPIENT_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** Risk, policy and curve errors of a trade that will be signed. */
const TRADE_ERRORS = [
  'RISK_NOT_ACCEPTED',
  'RISK_BLOCKED',
  'MAX_NOTIONAL',
  'MIN_NOTIONAL',
  'MAX_SLIPPAGE',
  'ROUTE_VS_MID',
  'ROUTE_VS_REF',
  'NO_REFERENCE_MID',
  'GEOFENCE',
  'STOCK_PAUSED',
  'WALLET_BLOCKED',
  'FEE_BPS',
  'LIMIT_NOT_REACHABLE',
  'CURVE_PAIR',
  'CURVE_GRADUATED',
  'SNIPE_TAX',
  'FEE_TOO_SMALL',
  'QUOTE_ONLY',
  'TOKEN_CHANGED',
  ...QUOTE_ERRORS,
] as const satisfies readonly ErrorCode[]

export const BUILD_ERRORS = [
  'WALLET_MISMATCH',
  'WALLET_NOT_BOUND',
  ...TRADE_ERRORS,
  ...APPROVAL_ERRORS,
] as const satisfies readonly ErrorCode[]

export const PREPARE_ERRORS = [...BUILD_ERRORS, ...SIMULATION_ERRORS] as const satisfies readonly ErrorCode[]

/** live/simulate returns a failed simulation as its result, not as an error. */
export const SIMULATE_ERRORS = [...BUILD_ERRORS, 'DRY_RUN_UNFUNDABLE'] as const satisfies readonly ErrorCode[]

/** The contract lists these for session trades too, but this server returns them only on other routes. */
export const SESSION_TRADE_BY_CONTRACT = [
  'WALLET_MISMATCH',
  'WALLET_NOT_BOUND',
  'APPROVAL_MODE',
  'APPROVAL_BUDGET',
  'UNLIMITED_APPROVAL',
  'FEE_MODE',
  'BINDING_NONCE',
  'ROOT_DAY_CAP',
  'CAP_PRICE',
  'NO_FEED_SESSION',
  'ROOT_REUSED',
  'TX_REFUSED',
] as const satisfies readonly ErrorCode[]

/** Session trades have no approval fields, and their calldata must pay the binding's fee. */
export const SESSION_PLAN_ERRORS = [
  ...TRADE_ERRORS,
  ...SIMULATION_ERRORS,
  'FEE_MISMATCH',
] as const satisfies readonly ErrorCode[]

export const FAST_ERRORS = [...FAST_RULES, 'RPC_UNAVAILABLE'] as const satisfies readonly ErrorCode[]

/** Errors of registering a session's root with the co-signer. */
export const ROOT_ERRORS = [
  'NO_FEED_SESSION',
  'ROOT_REUSED',
  'CAP_PRICE',
  'ROOT_BINDS_LIMITS',
  'BINDING_NONCE',
  'BINDING_TERMS',
  'ROOT_DAY_CAP',
] as const satisfies readonly ErrorCode[]

/** The co-signer's errors for a trade. */
export const COSIGN_ERRORS = [
  'REFUSED',
  'SIGNER_FROZEN',
  'PRICE',
  'PRICE_UNAVAILABLE',
  'SIGNED_MARK_PRICE',
  'FEE_REQUIRED',
  'FEE_CLASS',
  'SESSION_FEE',
  'FEE_DECLARED',
  'SLIPPAGE',
  'ROOT_BINDS_LIMITS',
  'BINDING_TERMS',
  'TRADE_REFUSED',
  'EXECUTOR_CLOSED',
  'CHAIN_UNAVAILABLE',
  'BUSY',
] as const satisfies readonly ErrorCode[]
