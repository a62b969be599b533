import type { ErrorCode } from '@pit/protocol'

// Hints of the error table are for callers of the HTTP API. A model can only change tool parameters, so hints
// that name fields, headers or routes are replaced; `advice.test.ts` finds missing replacements.

const AGAIN = 'Call it again; each call plans the trade again.'
const WAIT = 'Wait, then call it again; retry_after_s is the delay if known.'
const OPERATOR = 'No tool can change this; report it to the operator of this server.'
const GRANT = 'A person must grant a session that allows it (pit session grant).'
const ANOTHER = 'Use another token or a smaller notional_usd.'
const LOOK = 'The trade may have been sent: call look_up_trade first, then retry with the same client_id.'

const CODES: readonly (readonly [advice: string, codes: readonly ErrorCode[]])[] = [
  [
    WAIT,
    [
      ...['RATE_LIMITED', 'SIGNUP_CAPPED', 'ENGINE_UNAVAILABLE', 'PARTNER_UNAVAILABLE', 'SCREEN_UNAVAILABLE'],
      ...['REGISTRY_UNAVAILABLE', 'STATS_PENDING', 'NO_MARK', 'RPC_UNAVAILABLE', 'VENUE_FAILED', 'BUSY'],
      ...[
        'LIVE_UNAVAILABLE',
        'PRICE_STALE',
        'SESSIONS_UNAVAILABLE',
        'SIGNER_UNAVAILABLE',
        'HOSTED_UNAVAILABLE',
      ],
      ...['PRICE_UNAVAILABLE', 'CHAIN_UNAVAILABLE', 'EXECUTOR_ATTESTATION', 'LEAGUE_UNAVAILABLE'],
      ...['REFUND_REFUSED', 'SEASON_CLOSED', 'MARKET_CLOSED', 'POOL_FAR'],
    ] as ErrorCode[],
  ],
  [
    OPERATOR,
    [
      ...[
        'LENGTH_REQUIRED',
        'METHOD_NOT_ALLOWED',
        'UNAUTHORIZED',
        'CSRF_REFUSED',
        'DEV_DISABLED',
        'SANCTIONED',
      ],
      ...['AUTH_DOMAIN_UNSET', 'MAX_FEE', 'FEE_FIXED', 'FEE_BPS', 'FEE_RECIPIENT_NOT_ALLOWED', 'FEE_MODE'],
      ...['APPROVAL_MODE', 'APPROVAL_BUDGET', 'UNLIMITED_APPROVAL', 'FEE_FIRST', 'SUBMIT_DISABLED'],
      ...[
        'NOT_AS_BUILT',
        'TX_TYPE',
        'CHAIN_ID',
        'ROUTER',
        'VALUE',
        'DEADLINE',
        'GAS',
        'PERMIT',
        'TX_ENCODING',
      ],
      ...[
        'FAST_DISABLED',
        'FAST_PAIR',
        'NOTIONAL',
        'ROUTE_CAP',
        'MIN_OUT',
        'CLIENT_CAP',
        'AMOUNT_USD',
        'SLIPPAGE',
      ],
      ...[
        'REFUSED',
        'TRADE_REFUSED',
        'TX_REFUSED',
        'STOCK_ATTESTATION_OLD',
        'STOCK_ATTESTATION',
        'BAD_EXPIRY',
      ],
      ...[
        'NOT_OWNER',
        'NOT_AN_AGENT',
        'LEAGUE_DIVISION',
        'LEAGUE_INTERVAL',
        'ROUTER_NOT_ALLOWED',
        'FEE_MISMATCH',
      ],
      ...['BAD_SIGNATURE', 'CHALLENGE_EXPIRED', 'WALLET_MISMATCH', 'WALLET_NOT_BOUND', 'FORBIDDEN'],
    ] as ErrorCode[],
  ],
  [
    GRANT,
    [
      ...[
        'SESSION_LIMIT',
        'WALLET_CODE',
        'SESSION_PENDING',
        'SESSION_TERMS',
        'SESSION_SETUP',
        'NO_FEED_SESSION',
      ],
      ...['SESSION_CURVE', 'SESSION_CURVE_ROOTS', 'SESSION_ACTIVE'],
    ] as ErrorCode[],
  ],
  [ANOTHER, ['MAX_SLIPPAGE', 'QUOTE_ONLY', 'LIMIT_NOT_REACHABLE', 'DRY_RUN_UNFUNDABLE', 'RISK_BLOCKED']],
  [AGAIN, ['FEE_DECLARED', 'SIGNED_MARK_PRICE']],
  [LOOK, ['NONCE', 'IN_FLIGHT', 'SEQUENCER_UNREACHABLE', 'SUBMIT_REJECTED']],
]

const OWN: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'Correct the parameter that untrusted_detail names, then call again.',
  UNKNOWN_FIELD: 'Remove the parameter that untrusted_detail names, then call again.',
  NOT_FOUND: 'Check the id with the list tool: list_agents, list_sessions or list_trades.',
  ADDRESS_REQUIRED: 'Find the token with find_tokens and use its 0x address.',
  TOKEN_NOT_ALLOWED: 'Use a core symbol or the 0x address that find_tokens shows.',
  TOKEN_UNKNOWN: 'Call get_token once with its address to have it screened, then try again.',
  RISK_NOT_ACCEPTED:
    'Do not trade this token. Only the operator can accept its risks, for every trade (--accept-risks).',
  GEOFENCE: 'Do not trade stock tokens. Only the operator can make the required attestation (--non-us).',
  UNLIMITED_APPROVAL_IN_PLACE: 'Revoke it with revoke_approvals if it is not needed.',
  NO_SESSION: 'List sessions with list_sessions.',
  STOP_FIRST: 'Stop it first with control_agent.',
  NOT_ORDERS: 'Use an agent with the brain orders; list_agents shows it.',
  ORDER_LIMIT: 'Cancel orders first with cancel_orders.',
  NO_SEASON: 'Use the current season, which get_league returns.',
  NOT_ENTERED: 'List the entries with get_my_entries.',
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ...CODES.flatMap(([advice, codes]) => codes.map((code) => [code, advice] as const)),
  ...Object.entries(OWN),
])

/** Advice for a model or its operator about a service error; null if the table's hint fits. */
export const adviceOf = (code: string): string | null => ADVICE.get(code) ?? null
