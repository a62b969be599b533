/**
 * Raised by client libraries without calling the server. A server's refusal keeps its code, or becomes
 * HTTP_<status>.
 */
export const CLIENT_ERRORS = {
  VERIFICATION_FAILED: 'A server response failed the local check named in `rule`; nothing was signed',
  FAST_PAIR: 'The pair has no pinned fast route',
  STALE: 'The prices and pools read for fast mode are stale',
  APPROVAL: 'The token is not approved to the permit contract',
  POOL_FAR: 'The pool’s price is too far below the marks',
  ROUTE_CAP: 'The trade is above the route’s size cap',
  MARKS_DIFFER: 'The client’s marks differ from the server’s by more than 3%',
  COOLDOWN: 'The pair was refused for its price moments ago',
  CONFIG_MISMATCH: 'The server’s config differs from the pins, or lacks the disclosure contract',
  HASH_MISMATCH: 'The server returned another hash than the signed transaction’s',
  MINED_MISMATCH: 'The mined transaction, output or fee is not what was signed',
  TX_REVERTED: 'The transaction was mined and reverted; only gas was spent',
  CONSENT_REQUIRED: 'The grant changes the wallet’s code, which needs consent (allow7702)',
  INSUFFICIENT_FUNDS: 'The wallet cannot pay the value and gas',
  ACCOUNT_SHAPE: 'A me/* response does not match its schema',
  ACCOUNT_WALLET: 'A me/* response is for another wallet and was ignored',
  LEAGUE_STATEMENT: 'The statement to sign differs from the one the client built itself',
  SIGNING_MISMATCH: 'The text to sign is not the wallet’s own statement or attestation',
  REFUND_TO: 'The refund is not a plain transfer to the owner’s wallet',
} as const
export type ClientErrorCode = keyof typeof CLIENT_ERRORS

/** The code for an error response without one. */
export const httpErrorCode = <S extends number>(status: S) => `HTTP_${status}` as const

/** With fallback on, these errors switch the trade to the normal path instead of failing it. */
export const CLIENT_FAST_FALLBACK_ERRORS = [
  'FAST_PAIR',
  'STALE',
  'APPROVAL',
  'POOL_FAR',
  'ROUTE_CAP',
  'MARKS_DIFFER',
  'COOLDOWN',
  'CONFIG_MISMATCH',
] as const satisfies readonly ClientErrorCode[]

/** The `rule` of VERIFICATION_FAILED, with the condition that must hold. */
export const CLIENT_VERIFICATION_RULES = {
  RECIPIENT: 'payments go only to the wallet, the router and the pinned fee recipient',
  FEE_CLASS: 'the fee class is the one of the two tokens',
  FEE_BPS: 'the class, tier and shield allow the fee',
  MIN_OUT: 'the calldata has the minimum output of the response',
  PRICE: 'size and minimum output are close to the client’s own prices',
  QUOTE_OWN: 'the quote is close to the client’s own reading of the pools',
  IMPACT_OWN: 'the price impact matches the client’s own reading',
  RISK_CODES: 'the pinned risk table has the code of every disclosure',
  RISK_NOT_ACCEPTED: 'the caller accepted every severe risk',
  V4_HOOKS: 'the route uses only known hooks',
  GRANT_BINDING: 'the typed data hashes to the requested binding',
  GRANT_CAPS: 'the caveats enforce the requested caps',
  EXECUTOR_ATTESTATION: 'the co-signer attests that it holds the executor’s key',
} as const
export type ClientVerificationRule = keyof typeof CLIENT_VERIFICATION_RULES
