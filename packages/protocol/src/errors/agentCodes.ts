/** Codes in the log of an agent that held an order, with their meanings. They are not error responses. */
export const HOLD_CODES = {
  STOCK_ATTESTATION: 'the owner has no valid attestation for stock orders',
  MARKET_CLOSED: 'the US stock-token session is closed',
  STOCK_UNREAD: 'it could not be read whether a token is a stock token',
  RISKS_MISSING: 'the plan has no risk disclosures',
  FEE_CLASS: 'the fee class could not be read, or is not the expected one',
  FEE_MISMATCH: 'the fee is not the one for the class, tier and shield',
  SHIELD_MISMATCH: 'the plan has a different shield setting than requested',
  MIN_OUT_QUOTE: 'the minimum output is too far below the quote',
  MIN_OUT_FLOOR: 'the minimum output is below the floor from independent marks',
  HELD_IMPERSONATOR: 'the token imitates a core asset or an issued stock',
  TOKEN_STALE: 'the token’s screen is too old',
  TOKEN_BLOCKED: 'the token has no route',
  SESSION_TOO_LONG: 'the session is longer than its tokens allow',
  PAIR: "the order is outside the agent's pairs",
  LIVE_OFF: 'live trading is off for the agent or the server',
} as const
export type HoldCode = keyof typeof HOLD_CODES

/** Additions to the contract: an agent's own limits, and other reasons to hold a tick or an order. */
export const OUR_HOLD_CODES = {
  MAX_TRADE: "the order is above the agent's max_trade_usd",
  MAX_DAY: "the order is above what is left of the agent's max_day_usd",
  MAX_POSITION: "the position would exceed the agent's max_position_usd, or its value is unknown",
  NOTHING_TO_SELL: 'the agent holds none of the token, or less than 1 USD of it',
  CHANGED: 'the agent was changed, paused or stopped while it decided',
  EXECUTOR_GAS: "the executor cannot pay a trade's gas",
  TRADE_PENDING: 'an earlier trade of the agent has no receipt yet',
  TRADE_LOST: 'the worker ended while it executed the order; the order is not repeated',
  TRADE_FAILED: 'a relayed trade reverted or never reached the chain',
  TICK_FAILED: 'the tick itself failed',
  SIGNATURE_REQUIRED: "the trade needs the owner's signature; see the orders the agent waits for",
  BREAKER: "one of the session's brakes has tripped; only closing trades pass",
  BREAKER_UNPRICED: 'the session cannot be valued now, so its brakes refuse opening trades',
  SESSION_NONCE: 'the wallet ended all its sessions with controls',
  ORDER_SIGNATURE: 'the co-signer does not accept the signature of the order',
  ORDER_SESSION: 'the order belongs to another session',
  ORDER_TOKENS: 'the trade has other tokens than the order',
  ORDER_AMOUNT: 'the trade is above what is left of the order, its group or its entry',
  ORDER_PRICE: "the minimum output is below the order's",
  ORDER_TRIGGER: "the co-signer does not see the order's trigger met",
  ORDER_TIME: 'too early or too late for this part of the order',
  ORDER_ENDED: 'the order was cancelled or replaced at the co-signer',
  ORDER_RESERVED: 'the rest of the day is reserved for armed closing orders',
} as const
export type OurHoldCode = keyof typeof OUR_HOLD_CODES

/** An AI agent's tick without a model call. */
export const AI_HOLD_CODES = {
  AI_BUDGET: "the agent's daily budget is spent",
  AI_OFF: 'the server cannot call a model',
  AI_SHARE_SPENT: "the owner's share of the pool is spent",
  AI_POOL_SPENT: "the day's pool is spent",
  AI_NOT_ELIGIBLE: 'the owner may not use pool credits',
  AI_NOT_LIVE: "the live agent's wallet has not traded the live share's minimum or paid fees",
  AI_POOL_MODEL: 'pool credits pay only for cheap models',
  AI_POOL_INTERVAL: 'pool credits pay only for ticks of 15 minutes or more',
  AI_POOL_OFF: 'the pool is off',
  AI_POOL_UNAVAILABLE: 'the pool could not be read',
  POOL_AGENT: 'another agent of the owner uses the pool',
  POOL_NOT_LIVE: "the pool's live share needs a live agent",
  NOT_CONNECTED: 'the owner has not connected a key',
  DISCONNECTED: 'the owner’s key was disconnected',
  CONNECT_ERROR: 'the owner’s key could not be used',
  OWN_DAY_CAP: 'the daily cap of the owner’s key is reached',
  PARTNER_BALANCE: 'the balance at the model vendor is used up',
  PARTNER_BUSY: 'the model vendor is busy',
  PARTNER_RATE: 'the model vendor’s rate limit is reached',
  AI_LATE: 'too late to call a model for this decision, or the response came too late',
} as const
export type AiHoldCode = keyof typeof AI_HOLD_CODES

/** A rejected model response: nothing trades. */
export const AI_REFUSED_ANSWER_CODES = {
  AI_MALFORMED: 'not one JSON object',
  AI_SCHEMA: 'other fields than requested',
  AI_TOKEN: "a token outside the agent's pairs",
  AI_PAIR: "a pair that is not one of the agent's",
  AI_SIZE: 'a size below 1 USD or above the limit per trade',
  AI_TOO_MANY: 'more orders than allowed',
} as const

/** A failed model call: nothing trades. `worstCase`: it may have run, so its maximum cost counts as spent. */
export const AI_FAILED_CALL_CODES = {
  PARTNER_TIMEOUT: { meaning: 'the response timed out', worstCase: true },
  PARTNER_GATEWAY_ERROR: { meaning: 'the gateway failed', worstCase: true },
  PARTNER_UNREACHABLE: { meaning: 'no connection', worstCase: false },
  PARTNER_UNAVAILABLE: { meaning: 'the vendor is down', worstCase: false },
  PARTNER_REJECTED: { meaning: 'the vendor rejected the request', worstCase: false },
  MODEL_NOT_ALLOWED: { meaning: 'the model is not allowed', worstCase: false },
  COST_BOUND: {
    meaning:
      "the call's maximum cost is above the daily budget, or the vendor reports a higher cost than that",
    worstCase: false,
  },
} as const
export type AiErrorCode = keyof typeof AI_REFUSED_ANSWER_CODES | keyof typeof AI_FAILED_CALL_CODES

/** Additions to the contract: a webhook that was not reached or did not decide; nothing trades. */
export const WEBHOOK_CODES = {
  WEBHOOK_ADDRESS: 'the URL is not at a public address',
  WEBHOOK_UNREACHABLE: 'the connection failed or broke, twice',
  WEBHOOK_TIMEOUT: 'the response timed out, twice',
  WEBHOOK_REDIRECT: 'the webhook redirects, and redirects are not followed',
  WEBHOOK_STATUS: 'the response status is not 200',
  WEBHOOK_ANSWER: 'the response is too large or compressed',
  WEBHOOK_SECRET: 'this server cannot decrypt the secret; rotate it',
} as const
export type WebhookCode = keyof typeof WEBHOOK_CODES

/** A hosted practice entrant's tick that the league holds. */
export const LEAGUE_HOLD_CODES = {
  SEASON_CLOSED: 'no season is open',
  LEAGUE_BOOK_PENDING: "the season's book is not ready",
  LEAGUE_UNAVAILABLE: 'the league is not running',
  LEAGUE_PAIR: 'the order is not against USDG',
} as const
export type LeagueHoldCode = keyof typeof LEAGUE_HOLD_CODES
