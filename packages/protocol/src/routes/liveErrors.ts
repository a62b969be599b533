import { FAST_RULES } from '../errors/fastRules.ts'
import type { ErrorCode, RefusalCode } from '../errors/table.ts'

/** The fee is not the request's to set, and its recipient and the chain's state only in development. */
export const REFUSED_TRADE_FIELDS = {
  fee_bps: 'FEE_FIXED',
  fee_recipient: 'DEV_DISABLED',
  assume_state: 'DEV_DISABLED',
} as const satisfies { readonly [field: string]: RefusalCode }

/** What reading two tokens and a size may refuse. */
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

/** Risk, policy and curve refusals of a trade that is to be signed. */
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
  'APPROVAL_MODE',
  'APPROVAL_BUDGET',
  'UNLIMITED_APPROVAL',
  'FEE_FIXED',
  'FEE_BPS',
  'LIMIT_NOT_REACHABLE',
  'CURVE_PAIR',
  'CURVE_GRADUATED',
  'SNIPE_TAX',
  'FEE_MODE',
  'FEE_TOO_SMALL',
  'QUOTE_ONLY',
  'QUOTE_SIM_MISMATCH',
  'TOKEN_CHANGED',
  'MAX_FEE',
  'FEE_RECIPIENT_NOT_ALLOWED',
  'FEE_MISMATCH',
  'SIMULATION_FAILED',
  'DRY_RUN_UNFUNDABLE',
  'ROUTER_NOT_ALLOWED',
  'PARTICIPANT_TOKEN',
  'DEV_DISABLED',
] as const satisfies readonly ErrorCode[]

export const PLAN_ERRORS = [
  'WALLET_MISMATCH',
  'WALLET_NOT_BOUND',
  ...TRADE_ERRORS,
  ...QUOTE_ERRORS,
] as const satisfies readonly ErrorCode[]

export const FAST_ERRORS = [...FAST_RULES, 'RPC_UNAVAILABLE'] as const satisfies readonly ErrorCode[]

/** What registering a session's root at the co-signer may refuse. */
export const ROOT_ERRORS = [
  'NO_FEED_SESSION',
  'ROOT_REUSED',
  'CAP_PRICE',
  'ROOT_BINDS_LIMITS',
  'BINDING_NONCE',
  'BINDING_TERMS',
  'ROOT_DAY_CAP',
] as const satisfies readonly ErrorCode[]

/** The co-signer's refusals of a trade. */
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
  ...ROOT_ERRORS,
  'TRADE_REFUSED',
  'TX_REFUSED',
  'EXECUTOR_CLOSED',
  'CHAIN_UNAVAILABLE',
  'BUSY',
] as const satisfies readonly ErrorCode[]
