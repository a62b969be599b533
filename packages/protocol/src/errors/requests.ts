import { rows } from './row.ts'

/** What the edge and sign-in refuse. */
export const REQUEST_ERRORS = rows('requests', {
  BAD_REQUEST: {
    statuses: [400, 413],
    extras: ['field'],
    fastExtras: ['failures', 'field'],
    retry: 'different_request',
    message: 'A field is missing or malformed, or the body is not one JSON object.',
    hint: 'Correct `field`; live/* takes no field it does not know. 413: the body is over 65,536 bytes.',
  },
  UNKNOWN_FIELD: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'The request names a field this route does not take.',
    hint: 'Hosted-agent and league requests are exact: remove the field named in `field`.',
  },
  ADDRESS_REQUIRED: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'Only core assets are known by symbol; name this token by its address.',
    hint: 'Symbols are not unique. Find the address with GET tokens?q= and check it, then ask by address.',
  },
  LENGTH_REQUIRED: {
    statuses: [411],
    retry: 'no',
    message: 'A body needs a plain Content-Length.',
    hint: 'Send Content-Length; chunked bodies are refused.',
  },
  METHOD_NOT_ALLOWED: {
    statuses: [405],
    retry: 'no',
    message: 'This route does not answer that method.',
    hint: 'The Allow header names the methods it answers.',
  },
  NOT_FOUND: {
    statuses: [404],
    retry: 'no',
    message: 'No such route, or no such object for this key.',
    hint: 'Check the path against /docs, and the id against your own lists.',
  },
  UNAUTHORIZED: {
    statuses: [401],
    retry: 'no',
    message: 'No API key, or the key is unknown, expired or revoked.',
    hint: 'Send `Authorization: Bearer <key>`; a key comes from POST auth/challenge and POST auth/verify.',
  },
  CHALLENGE_EXPIRED: {
    statuses: [401],
    retry: 'no',
    message: 'No open challenge of this purpose for the address: it expired or was used.',
    hint: 'Ask for a new challenge and sign it within 5 minutes.',
  },
  BAD_SIGNATURE: {
    statuses: [401, 400, 422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The signature does not recover to the wallet.',
    hint:
      'Sign exactly the text or typed data answered, with the wallet itself. Contract wallets (EIP-1271) ' +
      'cannot sign in.',
  },
  NOT_PARTNER_AGENT: {
    statuses: [403],
    retry: 'no',
    message: 'This server signs in only wallets and owners of registry agents.',
    hint: 'Register the agent, or sign in with the wallet the registry records.',
  },
  WALLET_MISMATCH: {
    statuses: [403],
    extras: ['field'],
    fastExtras: ['failures'],
    retry: 'no',
    message: 'The key is bound to another wallet than the one named.',
    hint: 'Use the key of the wallet in the request, transaction or session.',
  },
  WALLET_NOT_BOUND: {
    statuses: [403],
    retry: 'no',
    message: 'This route needs a key bound to a wallet.',
    hint: 'Sign in with a wallet and use that key.',
    kept: 'Every key is issued here to the wallet that signed in. The check stays for keys that were not.',
  },
  FORBIDDEN: {
    statuses: [403],
    retry: 'no',
    message: 'This belongs to another wallet.',
    hint: 'Use the key of the wallet that created it.',
  },
  CSRF_REFUSED: {
    statuses: [403],
    retry: 'no',
    message:
      'Refused: a browser request from another origin, or with cookies but without JSON and X-Pit-Client.',
    hint: 'Agents send no cookies and no Origin. A page must be on the API’s own origin.',
  },
  DEV_DISABLED: {
    statuses: [403],
    extras: ['field'],
    retry: 'no',
    message: 'A development-only field was sent where development fields are off.',
    hint: 'Leave out fee_recipient and assume_state.',
  },
  RATE_LIMITED: {
    statuses: [429],
    extras: ['bucket'],
    retry: 'pause',
    retryAfterS: 1,
    message: 'Too many requests.',
    hint: 'Wait Retry-After seconds. `bucket` names the limit, as the reference has it under “Rate limits”.',
  },
  SIGNUP_CAPPED: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 3600,
    message: 'Too many new accounts from this address today, or overall this hour.',
    hint: 'Wait Retry-After seconds (it can be hours) or sign in with a wallet that has an account.',
  },
  KEYS_CAPPED: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 3600,
    message: 'Too many new keys from this address today, or overall this hour.',
    hint: 'Keep using a key until it expires (30 days) instead of signing in again.',
  },
  UNKNOWN_HOST: {
    statuses: [421],
    retry: 'no',
    message: 'This server does not answer for that host.',
    hint: 'Use the published base URL.',
  },
  SANCTIONED: {
    statuses: [451],
    extras: ['field', 'signer_checks'],
    retry: 'no',
    message: 'An address involved is on a sanctions list.',
    hint:
      '`field` is wallet, signer, session_wallet, executor, owner, agent_wallet or beneficiary. ' +
      'Such a key can still end what it started.',
  },
  COUNTRY_BLOCKED: {
    statuses: [451],
    retry: 'no',
    message: 'Requests from this country or region are not served.',
    hint: 'There is no way around it.',
  },
  ENGINE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The service is starting, stopping or overloaded.',
    hint: 'Wait Retry-After seconds; GET health says how it is.',
  },
  AUTH_DOMAIN_UNSET: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 60,
    message: 'No sign-in domain is configured: wallet sign-in is off.',
    hint: 'The operator sets AUTH_DOMAIN.',
  },
  PARTNER_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 15,
    message: 'The agent registry could not be read, and this server signs in only its agents.',
    hint: 'Try again after Retry-After seconds.',
  },
})
