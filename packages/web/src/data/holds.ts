import { words } from '@pit/ui'

/** Why an agent does not trade, and what to do about it. */
export interface HoldWords {
  title: string
  cure: string | null
  /** The server’s message adds only words of the API. */
  isAllSaid: boolean
}

const ALL_SAID: ReadonlySet<string> = new Set(['PAUSED', 'LIVE_OFF', 'NO_SESSION', 'EXECUTOR_GAS'])

const WAIT = 'Nothing to do: it goes on by itself.'
const MODEL_KEY = 'Connect your own model key, or choose a rule brain.'
const NEXT_DAY = 'It goes on tomorrow (UTC). Raise the budget or connect your own key to go on now.'
const GRANT = 'Grant a session to its executor under “Start trading” and attach it.'

const HOLDS: Readonly<Record<string, readonly [title: string, cure: string]>> = {
  PAUSED: [
    'The agent is paused',
    'Resume it when the cause is gone. A new live agent starts under “Start trading”.',
  ],
  KILLED: ['Trading is stopped for everyone', 'Wait until the operator turns it on again.'],
  LIVE_DISABLED: ['Live trading is off on this server', 'Wait until the operator turns it on.'],
  SIGNER_UNAVAILABLE: ['The co-signer does not respond', WAIT],
  LIVE_OFF: ['The agent is switched off', 'Switch it on under “Start trading”.'],
  NO_SESSION: ['No session is attached', GRANT],
  SESSION_NOT_ACTIVE: ['Its session is no longer active', GRANT],
  OUTSIDE_SESSION: ['Its limits are wider than its session', 'Attach a session with wider limits.'],
  SESSION_TOO_LONG: ['Its session lasts too long for these tokens', 'Grant a shorter session.'],
  SESSION_NONCE: ['You ended all sessions with controls', GRANT],
  EXECUTOR_GAS: ['The executor has too little ETH for gas', 'Send the amount shown under “Start trading”.'],
  TRADE_PENDING: ['An earlier trade is not mined yet', WAIT],
  MAX_TRADE: [
    'The order is above the limit per trade',
    'Make its orders smaller, or create an agent with a higher limit.',
  ],
  MAX_DAY: ['The limit of 24 hours is used up', 'It goes on as earlier trades become older than 24 hours.'],
  MAX_POSITION: ['The largest position is reached', 'It goes on once the position is smaller or worth less.'],
  MIN_NOTIONAL: ['The order is too small', 'Orders start at 1 USD: make its orders larger.'],
  NOTHING_TO_SELL: [
    'There is nothing to sell',
    'Fund the wallet with the token, or let the agent buy first.',
  ],
  SIGNATURE_REQUIRED: ['A trade needs your signature', 'Review and sign it on this page.'],
  BREAKER: [
    'A breaker has tripped',
    'Only closing trades pass until its pause ends. See its level under Sessions.',
  ],
  BREAKER_UNPRICED: [
    'A holding has no price, so the breakers refuse opening trades',
    'It goes on once every token has a price.',
  ],
  ORDER_RESERVED: ['The rest of the day is kept for your closing orders', 'Cancel a closing order, or wait.'],
  STOCK_ATTESTATION: [
    'Stock orders need your confirmation',
    'Sign the attestation for stock tokens: pit agent attest.',
  ],
  MARKET_CLOSED: ['The US stock market is closed', WAIT],
  TOKEN_STALE: ['The check of a token is too old', WAIT],
  TOKEN_BLOCKED: ['No route leads to the token', 'Choose another pair.'],
  HELD_IMPERSONATOR: ['The token imitates another one', 'Choose the genuine token.'],
  MIN_OUT_FLOOR: ['The pool’s price is far from the independent price', WAIT],
  MIN_OUT_QUOTE: ['The price moved during the order', WAIT],
  AI_BUDGET: ['The model budget of the day is used up', NEXT_DAY],
  AI_SHARE_SPENT: ['Your share of the model pool is used up', NEXT_DAY],
  AI_POOL_SPENT: ['The model pool of the day is used up', NEXT_DAY],
  OWN_DAY_CAP: ['The daily cap of your model key is reached', NEXT_DAY],
  AI_NOT_ELIGIBLE: ['You cannot use the model pool', MODEL_KEY],
  NOT_CONNECTED: ['No model key is connected', MODEL_KEY],
  DISCONNECTED: ['Your model key was disconnected', MODEL_KEY],
  CONNECT_ERROR: ['Your model key does not work', MODEL_KEY],
  AI_OFF: ['The server cannot call a model', 'Choose a rule brain, or wait.'],
  SEASON_CLOSED: ['No season is open', 'It goes on when the next season starts.'],
  LEAGUE_BOOK_PENDING: ['The season’s book is not ready', WAIT],
  LEAGUE_PAIR: ['On the practice board only pairs with USDG trade', 'Use pairs against USDG.'],
}

export function holdWords(code: string): HoldWords {
  const [title, cure] = HOLDS[code] ?? [words(code), null]
  return { title, cure, isAllSaid: ALL_SAID.has(code) }
}
