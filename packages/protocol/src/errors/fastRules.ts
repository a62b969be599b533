import type { ErrorCode } from './table.ts'

/** live/fast returns the first failing rule; `failures` lists all. Nothing was relayed yet. */
export const FAST_RULES_BEFORE_RELAY = [
  'FAST_DISABLED',
  'BAD_REQUEST',
  'TX_ENCODING',
  'FAST_PAIR',
  'MARKET_CLOSED',
  'PRICE_STALE',
  'TX_TYPE',
  'CHAIN_ID',
  'ROUTER',
  'VALUE',
  'WALLET_MISMATCH',
  'NOTIONAL',
  'ROUTE_CAP',
  'DEADLINE',
  'GAS',
  'FEE_BPS',
  'MIN_OUT',
  'AMOUNT_USD',
  'CLIENT_CAP',
  'PERMIT',
  'NOT_AS_BUILT',
  'GEOFENCE',
  'STOCK_PAUSED',
  'WALLET_BLOCKED',
  'SIMULATION_FAILED',
  'POOL_FAR',
  'ROUTE_VS_MID',
  'NO_REFERENCE_MID',
  'FAST_FUNDS',
] as const satisfies readonly ErrorCode[]

/** Rules about a pair's price; a refused trade may pass moments later. */
export const FAST_PRICE_RULES = [
  'PRICE_STALE',
  'MIN_OUT',
  'POOL_FAR',
  'ROUTE_VS_MID',
  'NO_REFERENCE_MID',
] as const satisfies readonly (typeof FAST_RULES_BEFORE_RELAY)[number][]

/** The transaction may have reached the sequencer: look for its hash before you sign the trade again. */
export const FAST_RULES_AFTER_RELAY = [
  'NONCE',
  'SUBMIT_REJECTED',
  'SEQUENCER_UNREACHABLE',
  'IN_FLIGHT',
] as const satisfies readonly ErrorCode[]

export const FAST_RULES = [...FAST_RULES_BEFORE_RELAY, ...FAST_RULES_AFTER_RELAY] as const
export type FastRule = (typeof FAST_RULES)[number]

/** Fast refusals with `terms`, and which of its fields would pass. */
export const FAST_TERMS = {
  FEE_BPS: ['fee'],
  MIN_OUT: ['floor'],
  GAS: ['base_fee_wei', 'max_cost_wei'],
  PRICE_STALE: [],
} as const satisfies { readonly [Code in FastRule]?: readonly string[] }

/** Possible `diffs` of NOT_AS_BUILT. */
export const BUILD_DIFFS = [
  'CALLDATA',
  'FEE_RECIPIENT',
  'FEE_COUNT',
  'FEE_TOKEN',
  'FEE_SIDE',
  'RECIPIENT',
  'ROUTE',
  'COMMANDS',
  'AS_BUILT',
] as const
