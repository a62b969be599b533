import type { Attempt } from './types.ts'

/** Why an order waits or ended, for people. */
export const WHY = {
  start: 'It has not started.',
  entry: 'Its entry has not been filled.',
  entryEnded: 'Its entry ended without a fill.',
  group: 'Another order of its group was filled.',
  closed: 'The market is closed.',
  paused: 'The issuer paused the token.',
  stale: 'The price is stale.',
  unpriced: 'A token has no price now.',
  price: 'The price is beyond its minimum.',
  balance: 'The balance is too small.',
  caps: 'The limits per trade, day or position leave no room.',
  small: 'A part would be worth less than 1 USD.',
} as const
export type WhyCode = keyof typeof WHY

const GAS = 'The executor cannot pay the gas.'
const SIGNATURE = 'It needs the owner’s signature.'
/** By the code with which its last attempt was held. */
const BY_HOLD: Readonly<Record<string, string>> = {
  MARKET_CLOSED: WHY.closed,
  TOKEN_STALE: 'The token is paused or its price is stale.',
  LIMIT_NOT_REACHABLE: WHY.price,
  ORDER_PRICE: WHY.price,
  SIMULATION_FAILED: 'The trade cannot be sent: balance, allowance or route.',
  EXECUTOR_GAS: GAS,
  MAX_TRADE: WHY.caps,
  MAX_DAY: WHY.caps,
  MAX_POSITION: WHY.caps,
  SESSION_MAX_TRADE: WHY.caps,
  SESSION_MAX_DAY: WHY.caps,
  SESSION_TRADES_LEFT: WHY.caps,
  STOCK_PAUSED: WHY.paused,
  ORDER_RESERVED: 'The rest of the day is reserved for armed closing orders.',
  ORDER_TRIGGER: 'The co-signer does not see its trigger met.',
  BREAKER: 'A brake of the session has tripped.',
  BREAKER_UNPRICED: 'The session’s brakes cannot be priced.',
  SIGNATURE_REQUIRED: SIGNATURE,
}

/** Null for attempts that are simply repeated. */
export function whyHeld(attempt: Pick<Attempt, 'code' | 'why'> | null): string | null {
  const { code = null, why = null } = attempt ?? {}
  if (code === null || REPEATED.has(code)) return null
  if (why !== null) return why
  return BY_HOLD[code] ?? `The last attempt was held: ${code}.`
}
const REPEATED: ReadonlySet<string> = new Set([
  ...['TRADE_FAILED', 'TRADE_LOST', 'TRADE_PENDING', 'CHANGED', 'ORDER_TIME', 'ORDER_AMOUNT'],
  ...['SIGNER_UNAVAILABLE', 'SEQUENCER_UNREACHABLE', 'RPC_UNAVAILABLE', 'BUSY'],
])

/** Codes after which no attempt can succeed. */
export const ENDING: Readonly<Record<string, { state: 'cancelled' | 'unfillable'; why: string }>> = {
  ORDER_ENDED: { state: 'cancelled', why: 'The co-signer has ended it.' },
  ORDER_SIGNATURE: { state: 'unfillable', why: 'The co-signer does not accept its signature.' },
  ORDER_SESSION: { state: 'unfillable', why: 'It belongs to another session.' },
  ORDER_TOKENS: { state: 'unfillable', why: 'The co-signer does not accept its tokens.' },
  SESSION_NONCE: { state: 'unfillable', why: 'The wallet ended all its sessions with controls.' },
}

/** The executor sends one transaction at a time. */
export const unconfirmedText = (txHash: string | null): string =>
  `An earlier transaction of the agent is not confirmed${txHash === null ? '' : `: ${txHash}`}.`
export const restText = (atoms: bigint): string => `${atoms} atoms, worth less than 1 USD, are left.`
export const uncoveredText = (atoms: bigint): string =>
  `${atoms} atoms that its entry received are above its amount.`
export const partText = (spent: bigint, whole: bigint): string => `${spent} of ${whole} atoms were traded.`
