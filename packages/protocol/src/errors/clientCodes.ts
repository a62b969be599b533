/**
 * Raised by client libraries without calling the server. A server refusal keeps its code, or is
 * HTTP_<status>.
 */
export const CLIENT_ERRORS = {
  VERIFICATION_FAILED: 'a server answer failed a local check; `rule` names it; nothing signed',
  FAST_PAIR: 'no pinned fast route for the pair',
  STALE: 'the warm state of fast mode is stale',
  APPROVAL: 'no ERC-20 approval to the permit contract',
  POOL_FAR: 'the pool is too far under the marks',
  ROUTE_CAP: 'over the route’s size cap',
  MARKS_DIFFER: 'local marks are more than 3% from the service’s',
  COOLDOWN: 'the pair was refused on price moments ago',
  CONFIG_MISMATCH: 'the server config disagrees with the pins, or lacks the disclosure contract',
  HASH_MISMATCH: 'the server answered another hash than the signed transaction’s',
  MINED_MISMATCH: 'the mined transaction, output or fee is not what was signed',
  TX_REVERTED: 'mined and reverted; only gas spent',
  CONSENT_REQUIRED: 'a grant that changes the wallet’s code needs allow7702',
  INSUFFICIENT_FUNDS: 'the wallet cannot pay value and gas',
  ACCOUNT_SHAPE: 'a me/* answer is not of the expected shape',
  ACCOUNT_WALLET: 'a me/* answer is for another wallet; ignored',
  LEAGUE_STATEMENT: 'the statement to sign is not the client’s own rebuild',
  SIGNING_MISMATCH: 'asked to sign a text that is not the wallet’s own statement or attestation',
  REFUND_TO: 'a refund answer is not a plain transfer to the owner’s own wallet',
} as const
export type ClientErrorCode = keyof typeof CLIENT_ERRORS

/** The code of a server answer that carries none. */
export const httpErrorCode = <S extends number>(status: S) => `HTTP_${status}` as const

/** With fallback on, these send the trade down the normal path instead of failing it. */
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

/** What VERIFICATION_FAILED names in `rule`. */
export const CLIENT_VERIFICATION_RULES = {
  RECIPIENT: 'money goes only to the wallet, the router and the pinned fee recipient',
  FEE_CLASS: 'the fee class is the one the two tokens give',
  FEE_BPS: 'the fee is one the class, tier and shield allow',
  MIN_OUT: 'the minimum in the calldata is the one answered',
  PRICE: 'size and minimum are near the client’s own prices',
  QUOTE_OWN: 'the quote is near the client’s own reading of the pools',
  IMPACT_OWN: 'the price impact is the client’s own reading of it',
  RISK_CODES: 'every disclosure has a code the pinned table knows',
  RISK_NOT_ACCEPTED: 'no severe risk that the caller did not accept',
  V4_HOOKS: 'only known hooks on the way',
  GRANT_BINDING: 'the typed data hashes to the binding asked for',
  GRANT_CAPS: 'the caveats cap what was asked for',
  EXECUTOR_ATTESTATION: 'the co-signer attests that it holds the executor’s key',
} as const
export type ClientVerificationRule = keyof typeof CLIENT_VERIFICATION_RULES
