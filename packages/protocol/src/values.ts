/** Value sets of the API contract. Values that the public documents leave open are marked `ours`. */

export const CORE_SYMBOLS = ['ETH', 'WETH', 'USDG', 'cbBTC', 'PARTNER', 'NVDA', 'SPY'] as const
export type CoreSymbol = (typeof CORE_SYMBOLS)[number]
export const isCoreSymbol = (text: string): text is CoreSymbol =>
  (CORE_SYMBOLS as readonly string[]).includes(text)

/**
 * Ours: every core symbol the profile has is major; a token by address is when its stock_beacon reading is
 * true.
 */
export const MAJOR_SYMBOLS: readonly CoreSymbol[] = [...CORE_SYMBOLS]
/** The token that comes first here pays the fee; if neither is core, the input does. */
export const FEE_SIDE_RANK: readonly CoreSymbol[] = [...CORE_SYMBOLS]
/** Ours: tokens that a route may pass through. */
export const HUB_SYMBOLS: readonly CoreSymbol[] = ['ETH', 'WETH', 'USDG', 'PARTNER']
export const STATS_SYMBOLS = ['ETH', 'cbBTC', 'PARTNER', 'NVDA', 'SPY'] as const
export const FAST_SYMBOLS = ['ETH', 'WETH', 'USDG', 'NVDA', 'SPY'] as const
export const FAST_MID_CHECKED_SYMBOLS = ['NVDA', 'SPY'] as const
export const PRACTICE_ASSETS = ['ETH', 'cbBTC', 'PARTNER'] as const
export const PRACTICE_QUOTE = 'USDG'

export const BUILDABLE_VENUES = ['venue_pool', 'venue_curve'] as const
export const QUOTE_ONLY_VENUES = ['aggregator_1', 'aggregator_2', 'aggregator_3'] as const
export const VENUES = [...BUILDABLE_VENUES, ...QUOTE_ONLY_VENUES] as const
export type Venue = (typeof VENUES)[number]

export const CHALLENGE_PURPOSES = ['sign-in', 'revoke-all'] as const
export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number]
export const PARTNER_ROLES = ['agentWallet', 'owner'] as const

export const HEALTH_STATUSES = ['ok', 'degraded', 'down'] as const
export const STATS_KINDS = ['crypto', 'stock'] as const
export const MARK_SOURCES = ['oracle_feed', 'pool_mid'] as const

export const TREASURY_BUCKETS = ['operations', 'buybacks', 'treasury'] as const
export type TreasuryBucket = (typeof TREASURY_BUCKETS)[number]
export const WEEK_STATUSES = ['moved', 'booked', 'preview'] as const
export const WEEK_TOKEN_STATUSES = ['split', 'dust', 'unpriced', 'nothing'] as const
export const RECONCILIATION_STATUSES = ['agrees', 'accepted'] as const
export const RECONCILIATION_ETH = ['trace', 'balance', 'ledger'] as const

export const TOKEN_KINDS = ['core', 'stock', 'partner_agent', 'curve', 'bridged', 'erc20'] as const
export const TOKEN_TIERS = ['A', 'B', 'C', 'blocked'] as const
export const BLOCKED_REASONS = ['NO_ROUTE'] as const
export const REFERENCE_SOURCES = ['oracle_feed', 'twap', 'median', 'spot', 'curve', 'none'] as const
/** Ours beyond UNSCREENED. */
export const SCREEN_STATUSES = ['SCREENED', 'CACHED', 'UNSCREENED', 'CORE'] as const

/** Ours: risks found by a token's screen. */
export const PROXY_KINDS = ['implementation', 'beacon', 'clone'] as const
export const TOKEN_POWERS = ['mint', 'pause', 'blacklist', 'rebase', 'tax', 'trading', 'seize'] as const
export const TEXT_FAULTS = ['symbol_unreadable', 'name_unreadable', 'hidden_characters', 'cut'] as const
export const SCREENS = ['done', 'buy_failed', 'no_route', 'unfinished', 'untried', 'not_needed'] as const

export const FEE_CLASSES = ['major', 'other'] as const
export type FeeClass = (typeof FEE_CLASSES)[number]
export const FEE_SIDES = ['input', 'output'] as const
export type FeeSide = (typeof FEE_SIDES)[number]

export const FEE_COMMANDS = [
  'TRANSFER',
  'PERMIT2_TRANSFER_FROM',
  'PAY_PORTION',
  'fee_transfer',
  'batch transfer',
] as const
export const APPROVAL_MODES = ['budget', 'exact', 'unlimited'] as const
export const PERMIT_MODES = ['signature', 'transaction'] as const
export const PERMIT_SCOPES = ['trade', '30d'] as const
export const CURVE_FEE_MODES = ['auto', 'batch', 'two_step'] as const
export const PREPARE_ACTIONS = ['trade', 'revoke'] as const
export const STEP_KINDS = ['approve', 'sign_permit', 'fee_transfer', 'swap'] as const
/** Reasons why a plan is not ready. */
export const MISSING_KINDS = ['permit_signature', 'input', 'fee', 'eth'] as const
export type MissingKind = (typeof MISSING_KINDS)[number]
export const REVOKE_STEP_KINDS = ['approve', 'lockdown'] as const
export const EXECUTIONS = ['router', 'curve', 'batch'] as const
export const SIMULATE_MODELS = ['later', 'first'] as const
/** Refused unless the server runs with development fields on. */
export const DEV_FIELDS = ['fee_recipient', 'assume_state'] as const

/** Roots that an owner signs for a session; sessions with curves have three. */
export const ROOT_NAMES = ['root', 'curve', 'fee'] as const
export const SESSION_STATUSES = ['pending', 'active', 'revoked', 'expired'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/** The public documents list the first two; the rule brains and `orders` are ours. */
export const BRAINS = [
  'partner_llm',
  'webhook',
  'dca',
  'momentum',
  'mean_reversion',
  'grid',
  'rebalance',
  'orders',
] as const
export type Brain = (typeof BRAINS)[number]
/** Ours. */
export const HISTORY_RANGES = ['day', 'month', 'all'] as const
export type HistoryRange = (typeof HISTORY_RANGES)[number]

export const HOSTED_MODES = ['paper', 'live'] as const
export const HOSTED_STATUSES = ['active', 'paused', 'stopped'] as const
/** OWNER is the documents'; the others are ours. */
export const PAUSE_REASONS = ['OWNER', 'NEW', 'ROTATED', 'CHANGED', 'SESSION_ENDED', 'ERRORS'] as const
export const AI_FUNDING = ['pool', 'own'] as const
export const FEE_SCHEDULES = [1, 2] as const
export const SPEND_STATUSES = ['ok', 'invalid', 'error', 'hold'] as const
/** `header`: the vendor's cost header; `bound`: the worst case was counted. */
export const COST_SOURCES = ['usage.cost', 'header', 'bound'] as const
export const REFUND_STATUSES = ['mined', 'reverted', 'sent', 'uncertain'] as const
/** `error` and `state` are ours. */
export const LOG_KINDS = ['decision', 'trade', 'hold', 'session', 'watch', 'error', 'state'] as const

/** Ours: states of a signed order. The last five are final. */
export const ORDER_STATES = [
  'armed',
  'waiting',
  'triggered',
  'sent',
  'partially_filled',
  'filled',
  'expired',
  'cancelled',
  'replaced',
  'unfillable',
] as const
export type OrderState = (typeof ORDER_STATES)[number]
/**
 * Ours: what the co-signer's ledger says of an order. `blocked`: not registered, and never will be in that
 * session.
 */
export const LEDGER_ORDER_STATES = [
  'open',
  'filled',
  'cancelled',
  'replaced',
  'expired',
  'not_registered',
  'blocked',
] as const
export type LedgerOrderState = (typeof LEDGER_ORDER_STATES)[number]
/** Ours: also of lists and sessions. */
export const LEDGER_STATES = [...LEDGER_ORDER_STATES, 'registered', 'active', 'revoked'] as const
export type LedgerState = (typeof LEDGER_STATES)[number]
/** Ours: what a receipt of the co-signer confirms; of a cancellation, what became of the order. */
export const RECEIPT_KINDS = [
  'registered',
  'revoked',
  'status',
  'open',
  'filled',
  'cancelled',
  'replaced',
  'expired',
  'not_registered',
] as const
export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

export const TRADE_PATHS = ['agent', 'session', 'hosted', 'fast'] as const
export const TRADE_STATUSES = ['pending', 'mined', 'reverted', 'dropped', 'refused'] as const
export const AMOUNT_OUT_KINDS = ['actual', 'minimum'] as const
export const HOLDING_KINDS = ['native', 'core', 'stock', 'token'] as const
export const UNPRICED_REASONS = ['NO_INDEPENDENT_MARK', 'MARK_UNAVAILABLE'] as const

export const BOARDS = ['prize', 'practice'] as const
export type Board = (typeof BOARDS)[number]
/** Ours beyond open and upcoming. */
export const SEASON_STATES = ['upcoming', 'open', 'closing', 'provisional', 'decided', 'settled'] as const
export const ENTRANT_KINDS = ['wallet', 'account', 'hosted'] as const
export type EntrantKind = (typeof ENTRANT_KINDS)[number]
export const CLUSTER_LINKS = ['address', 'transfer', 'funder'] as const
export const RULE_STATUSES = ['pass', 'fail', 'flag', 'pending'] as const
/** Rules that a review cannot pass. */
export const UNREVIEWABLE_RULES = ['CONFIRMED', 'SANCTIONS'] as const
export const AMOUNTS_BASES = ['estimate', 'provisional', 'decided'] as const
export const RESERVE_ROW_STATUSES = ['settled', 'provisional', 'incomplete'] as const
export const RESERVE_ESTIMATE_STATUSES = ['estimate', 'pending', 'incomplete'] as const
export const LEDGER_MARK_SOURCES = ['marks', 'manual'] as const
/** planned until the transfer is mined; `mined` is ours. */
export const WINNER_STATUSES = ['planned', 'mined'] as const
