import { grouped } from '../money/decimals.ts'
import { AUTH, DAY_S, REQUEST } from '../numbers.ts'
import { rows } from './row.ts'

/** Errors of HTTP handling and sign-in. */
export const REQUEST_ERRORS = rows('requests', {
  BAD_REQUEST: {
    statuses: [400, 413],
    extras: ['field'],
    fastExtras: ['failures', 'field'],
    retry: 'different_request',
    message: 'A field is missing or invalid, or the body is not a JSON object.',
    hint:
      'Correct the field named in `field`. live/* routes reject unknown fields; 413 means that the body ' +
      `exceeds ${grouped(REQUEST.maxBodyBytes)} bytes.`,
  },
  UNKNOWN_FIELD: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'The request contains a field that this route does not accept.',
    hint: 'Remove the field named in `field`. Hosted-agent and league routes accept only documented fields.',
  },
  ADDRESS_REQUIRED: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'The symbol is not a core asset, and other symbols are not unique.',
    hint: 'Find the token’s address with GET tokens?q=, verify it, and send the address instead.',
  },
  LENGTH_REQUIRED: {
    statuses: [411],
    retry: 'no',
    message: 'The request body has no plain Content-Length.',
    hint: 'Send a Content-Length header; chunked bodies are not accepted.',
  },
  METHOD_NOT_ALLOWED: {
    statuses: [405],
    retry: 'no',
    message: 'This route does not support that HTTP method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  NOT_FOUND: {
    statuses: [404],
    retry: 'no',
    message: 'The route does not exist, or this key has no object with that id.',
    hint: 'Check the path in the reference at /docs, and the id in your own lists.',
  },
  UNAUTHORIZED: {
    statuses: [401],
    retry: 'no',
    message: 'The API key is missing, unknown, expired or revoked.',
    hint: 'Send `Authorization: Bearer <key>`. Get a key with POST auth/challenge and POST auth/verify.',
  },
  CHALLENGE_EXPIRED: {
    statuses: [401],
    retry: 'no',
    message: 'The address has no open challenge for this purpose: it expired or was used.',
    hint: `Request a new challenge and sign it within ${AUTH.challengeTtlS / 60} minutes.`,
  },
  BAD_SIGNATURE: {
    statuses: [401, 400, 422],
    extras: ['field'],
    retry: 'different_request',
    message: 'The signature does not recover to the wallet’s address.',
    hint:
      'Sign exactly the returned text or typed data with the wallet’s own key. Contract wallets ' +
      '(EIP-1271) cannot sign in.',
  },
  NOT_PARTNER_AGENT: {
    statuses: [403],
    retry: 'no',
    message: 'This server signs in only the wallets and owners of registered agents.',
    hint: 'Register the agent, or sign in with the wallet or owner recorded in the registry.',
  },
  WALLET_MISMATCH: {
    statuses: [403],
    extras: ['field'],
    fastExtras: ['failures'],
    retry: 'no',
    message: 'The API key belongs to another wallet than the request, transaction or session.',
    hint: 'Sign in with that wallet and use its key.',
  },
  WALLET_NOT_BOUND: {
    statuses: [403],
    retry: 'no',
    message: 'This route needs an API key that is bound to a wallet.',
    hint: 'Sign in with a wallet and use the key you get.',
    unusedBecause:
      'Every key issued here is bound to the wallet that signed in. The check remains for keys without a ' +
      'wallet.',
  },
  FORBIDDEN: {
    statuses: [403],
    retry: 'no',
    message: 'This object belongs to another wallet.',
    hint: 'Use the API key of the wallet that created it.',
  },
  CSRF_REFUSED: {
    statuses: [403],
    retry: 'no',
    message:
      'A browser sent the request from another origin, or with cookies but without JSON and X-Pit-Client.',
    hint:
      'Programs send no cookies and no Origin. Pages must be on the API’s own origin and send JSON with ' +
      'X-Pit-Client.',
  },
  DEV_DISABLED: {
    statuses: [403],
    extras: ['field'],
    retry: 'no',
    message: 'The request contains a development-only field, and this server does not accept those.',
    hint: 'Remove fee_recipient and assume_state.',
  },
  RATE_LIMITED: {
    statuses: [429],
    extras: ['bucket'],
    retry: 'pause',
    retryAfterS: 1,
    message: 'Too many requests.',
    hint:
      'Retry after the delay in Retry-After. `bucket` names the limit, listed under “Rate limits” in the ' +
      'reference.',
  },
  SIGNUP_CAPPED: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 3600,
    message: 'The limit for new accounts is reached, for this IP address today or for the service this hour.',
    hint: 'Retry after the delay in Retry-After (it can be hours), or sign in with a wallet that has an account.',
  },
  KEYS_CAPPED: {
    statuses: [429],
    retry: 'pause',
    retryAfterS: 3600,
    message: 'The limit for new API keys is reached, for this IP address today or for the service this hour.',
    hint:
      `Use an existing key, which is valid for ${AUTH.keyTtlS / DAY_S} days, or sign in again in a few ` +
      'hours.',
  },
  UNKNOWN_HOST: {
    statuses: [421],
    retry: 'no',
    message: 'This server does not serve the requested host name.',
    hint: 'Use the server’s published base URL.',
  },
  SANCTIONED: {
    statuses: [451],
    extras: ['field', 'signer_checks'],
    retry: 'no',
    message: 'An address involved in this request is on a sanctions list.',
    hint:
      '`field` is wallet, signer, session_wallet, executor, owner, agent_wallet or beneficiary. The key ' +
      'can still revoke itself and end what it started.',
  },
  COUNTRY_BLOCKED: {
    statuses: [451],
    retry: 'no',
    message: 'The request comes from a sanctioned country or region, which is not served.',
    hint: 'There are no exceptions. If the detected location is wrong, connect without a proxy or VPN.',
  },
  ENGINE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The service is starting, stopping or overloaded.',
    hint: 'Retry after the delay in Retry-After (usually 5 s); GET health shows the current state.',
  },
  AUTH_DOMAIN_UNSET: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 60,
    message: 'Wallet sign-in is off because no sign-in domain is configured.',
    hint: 'Ask the operator to set AUTH_DOMAIN.',
  },
  PARTNER_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 15,
    message: 'The agent registry could not be read, and this server signs in only registered agents.',
    hint: 'Retry after the delay in Retry-After (usually 15 s).',
  },
})
