import {
  ApiKeyRecord,
  AuthMe,
  Challenge,
  ChallengeRequest,
  RevokeAllRequest,
  Revoked,
  RevokedAll,
  VerifyRequest,
} from '../schemas/auth.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

/** The overall limit is checked late, so that the wallet's owner can sign in when others used it up. */
const SIGN_IN = { buckets: ['auth.address'], lateBuckets: ['auth.overall'] } as const

export const AUTH_ROUTES = {
  'auth.challenge': route({
    ...PLACES['auth.challenge'],
    area: 'auth',
    auth: 'none',
    ...SIGN_IN,
    summary: 'Request a message to sign, to sign in or to revoke every key.',
    body: ChallengeRequest,
    answer: Challenge,
    errors: ['AUTH_DOMAIN_UNSET', 'SANCTIONED'],
  }),
  'auth.verify': route({
    ...PLACES['auth.verify'],
    area: 'auth',
    auth: 'none',
    ...SIGN_IN,
    summary: 'Exchange a signed message for an API key of the wallet.',
    body: VerifyRequest,
    answer: ApiKeyRecord,
    errors: [
      'CHALLENGE_EXPIRED',
      'BAD_SIGNATURE',
      'NOT_PARTNER_AGENT',
      'PARTNER_UNAVAILABLE',
      'SIGNUP_CAPPED',
      'KEYS_CAPPED',
      'SANCTIONED',
      'AUTH_DOMAIN_UNSET',
    ],
    statusOf: { BAD_SIGNATURE: [401] },
  }),
  'auth.me': route({
    ...PLACES['auth.me'],
    area: 'auth',
    auth: 'key',
    summary: 'Wallet and expiry of the calling key.',
    answer: AuthMe,
  }),
  'auth.revoke': route({
    ...PLACES['auth.revoke'],
    area: 'auth',
    auth: 'key',
    sanctionedKeyAllowed: true,
    summary: 'Revoke the calling key immediately.',
    answer: Revoked,
  }),
  'auth.revoke_all': route({
    ...PLACES['auth.revoke_all'],
    area: 'auth',
    auth: 'signature',
    ...SIGN_IN,
    summary: 'Revoke all keys of a wallet with a fresh signature; needs no key.',
    body: RevokeAllRequest,
    answer: RevokedAll,
    errors: ['BAD_SIGNATURE', 'CHALLENGE_EXPIRED', 'AUTH_DOMAIN_UNSET'],
    statusOf: { BAD_SIGNATURE: [401] },
  }),
}
