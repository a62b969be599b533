import type { ErrorCode } from './table.ts'

/** live/fast answers the first of these that fails; `failures` lists all. Nothing was relayed yet. */
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

/** Rules that judge the price of a pair; a trade refused by one may pass moments later. */
export const FAST_PRICE_RULES = [
  'PRICE_STALE',
  'MIN_OUT',
  'POOL_FAR',
  'ROUTE_VS_MID',
  'NO_REFERENCE_MID',
] as const satisfies readonly (typeof FAST_RULES_BEFORE_RELAY)[number][]

/** The relay may have reached the sequencer: look for the hash before signing anything for the same trade. */
export const FAST_RULES_AFTER_RELAY = [
  'NONCE',
  'SUBMIT_REJECTED',
  'SEQUENCER_UNREACHABLE',
  'IN_FLIGHT',
] as const satisfies readonly ErrorCode[]

export const FAST_RULES = [...FAST_RULES_BEFORE_RELAY, ...FAST_RULES_AFTER_RELAY] as const
export type FastRule = (typeof FAST_RULES)[number]

/** Fast refusals that carry `terms`, and the part of them that would have passed. */
export const FAST_TERMS = {
  FEE_BPS: ['fee'],
  MIN_OUT: ['floor'],
  GAS: ['base_fee_wei', 'max_cost_wei'],
  PRICE_STALE: [],
} as const satisfies { readonly [Code in FastRule]?: readonly string[] }

/** What `diffs` of NOT_AS_BUILT may name. */
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
