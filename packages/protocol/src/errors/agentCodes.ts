/** Codes written to an agent's log when it holds, instead of being answered; each with what it means. */
export const HOLD_CODES = {
  STOCK_ATTESTATION: 'a stock order without a valid attestation of the owner',
  MARKET_CLOSED: 'a stock order outside the US stock-token session',
  STOCK_UNREAD: 'whether a token is a stock token could not be read',
  RISKS_MISSING: 'an answer without its disclosures',
  FEE_CLASS: 'the fee class could not be read, or is not the expected one',
  FEE_MISMATCH: 'a fee that class, tier and shield do not set',
  SHIELD_MISMATCH: 'an answer with another shield than asked',
  MIN_OUT_QUOTE: 'a minimum output too far under the quote',
  MIN_OUT_FLOOR: 'a minimum output under the floor by independent marks',
  HELD_IMPERSONATOR: 'a token that imitates a core asset or an issued stock',
  TOKEN_STALE: 'a token whose screen is too old to trust',
  TOKEN_BLOCKED: 'a token without a route',
  SESSION_TOO_LONG: 'a session longer than its tokens allow',
  PAIR: "an order outside the agent's pairs",
  LIVE_OFF: 'live trading is off for the agent or the server',
} as const
export type HoldCode = keyof typeof HOLD_CODES

/** Ours, beyond the documents: an agent's own limits, and what stands in the way of a tick or an order. */
export const OUR_HOLD_CODES = {
  MAX_TRADE: "more than the agent's max_trade_usd",
  MAX_DAY: "more than is left of the agent's max_day_usd",
  MAX_POSITION: "the asset bought would pass the agent's max_position_usd, or its value is unknown",
  NOTHING_TO_SELL: 'the agent holds none of it, or less than a dollar',
  CHANGED: 'the agent was changed, paused or stopped while it decided',
  EXECUTOR_GAS: "the executor cannot pay a trade's gas",
  TRADE_PENDING: 'an earlier trade of the agent has no receipt yet',
  TRADE_LOST: 'an order was begun and its worker ended; it is not repeated',
  TRADE_FAILED: 'a relayed trade reverted or never reached the chain',
  TICK_FAILED: 'the tick itself failed',
} as const
export type OurHoldCode = keyof typeof OUR_HOLD_CODES

/** An AI agent's tick without a model call. */
export const AI_HOLD_CODES = {
  AI_BUDGET: "the agent's day budget is spent",
  AI_OFF: 'the server cannot call a model',
  AI_SHARE_SPENT: "the owner's share of the pool is used",
  AI_POOL_SPENT: "the day's pool is used",
  AI_NOT_ELIGIBLE: 'the owner may not use pool credits',
  AI_NOT_LIVE: "the live agent's wallet has not traded the live share's minimum or paid fees",
  AI_POOL_MODEL: 'pool credits pay only cheap models',
  AI_POOL_INTERVAL: 'pool credits pay only 15-minute ticks',
  AI_POOL_OFF: 'the pool is off',
  AI_POOL_UNAVAILABLE: 'the pool could not be read',
  POOL_AGENT: 'another agent of the owner uses the pool',
  POOL_NOT_LIVE: "the pool's live share needs a live agent",
  NOT_CONNECTED: 'no own key is connected',
  DISCONNECTED: 'the own key was disconnected',
  CONNECT_ERROR: 'the own key could not be used',
  OWN_DAY_CAP: "the own key's day cap is reached",
  PARTNER_BALANCE: "the vendor's balance is used up",
  PARTNER_BUSY: 'the vendor is busy',
  PARTNER_RATE: 'the vendor limits the rate',
  AI_LATE: 'too late in the tick to ask a model, or it answered after the tick’s time',
} as const
export type AiHoldCode = keyof typeof AI_HOLD_CODES

/** A model's answer that was refused: nothing trades. */
export const AI_REFUSED_ANSWER_CODES = {
  AI_MALFORMED: 'not one JSON object',
  AI_SCHEMA: 'other fields than asked',
  AI_TOKEN: "a token outside the agent's pairs",
  AI_PAIR: "a pair outside the agent's",
  AI_SIZE: 'outside 1 dollar to the per-trade limit',
  AI_TOO_MANY: 'more orders than allowed',
} as const

/** A model call that failed: nothing trades. `worstCase`: it may have run, so its bound counts as spent. */
export const AI_FAILED_CALL_CODES = {
  PARTNER_TIMEOUT: { meaning: 'no answer in time', worstCase: true },
  PARTNER_GATEWAY_ERROR: { meaning: 'the gateway failed', worstCase: true },
  PARTNER_UNREACHABLE: { meaning: 'no connection', worstCase: false },
  PARTNER_UNAVAILABLE: { meaning: 'the vendor is down', worstCase: false },
  PARTNER_REJECTED: { meaning: 'the vendor refused the request', worstCase: false },
  MODEL_NOT_ALLOWED: { meaning: 'the model may not be used', worstCase: false },
  COST_BOUND: {
    meaning: "the call's worst case is more than the day budget, or the vendor says it cost more than that",
    worstCase: false,
  },
} as const
export type AiErrorCode = keyof typeof AI_REFUSED_ANSWER_CODES | keyof typeof AI_FAILED_CALL_CODES

/** Ours, beyond the documents: a webhook that was not reached or did not decide; nothing trades. */
export const WEBHOOK_CODES = {
  WEBHOOK_ADDRESS: 'the url is not at a public address',
  WEBHOOK_UNREACHABLE: 'no connection, or it broke off, twice',
  WEBHOOK_TIMEOUT: 'no answer in time, twice',
  WEBHOOK_REDIRECT: 'it redirects, which is not followed',
  WEBHOOK_STATUS: 'it answered another status than 200',
  WEBHOOK_ANSWER: 'its answer is too large or compressed',
  WEBHOOK_SECRET: 'its secret cannot be opened here; rotate it',
} as const
export type WebhookCode = keyof typeof WEBHOOK_CODES

/** A hosted practice entrant's tick that the league holds. */
export const LEAGUE_HOLD_CODES = {
  SEASON_CLOSED: 'no season is open',
  LEAGUE_BOOK_PENDING: "the season's book is not ready",
  LEAGUE_UNAVAILABLE: 'the league is not running',
  LEAGUE_PAIR: 'an order not against USDG',
} as const
export type LeagueHoldCode = keyof typeof LEAGUE_HOLD_CODES
