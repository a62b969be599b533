import { Type } from '@sinclair/typebox'
import { AUTH, DAY_S } from '../numbers.ts'
import { CHALLENGE_PURPOSES, PARTNER_ROLES } from '../values.ts'
import { Answer, Count, Id, Nullable, OneOf, SignInSignature, Text, UnixS, Wallet, Whole } from './scalars.ts'

export const ChallengeRequest = Type.Object({
  address: Wallet('the wallet that will sign'),
  purpose: Type.Optional(
    OneOf(CHALLENGE_PURPOSES, 'absent or sign-in: to sign in; revoke-all: to revoke every key of the wallet'),
  ),
})

export const Challenge = Answer(
  {
    address: Wallet('the wallet, lower-case'),
    message: Text('the EIP-4361 text to sign with personal_sign, byte for byte'),
    nonce: Text('random, single use'),
    domain: Text('the domain the message names; check it is the one you meant'),
    uri: Text('the URI the message names'),
    chain_id: Type.Literal(4663),
    version: Type.Literal('1', { description: 'of the message format' }),
    statement: Text('purpose of the signature, as in the message'),
    issued_at: UnixS('when it was made'),
    expires_at: UnixS('300 s after issue'),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name; a string is not a thenable
    then: Text('next step'),
  },
  { title: 'Challenge' },
)

export const VerifyRequest = Type.Object({
  address: Wallet('the wallet that signed'),
  signature: SignInSignature('personal_sign of the message'),
  nonce: Type.Optional(Id('selects the open challenge; absent: all open ones, newest first')),
})

export const RevokeAllRequest = Type.Object({
  address: Wallet('the wallet that signed'),
  signature: SignInSignature('personal_sign of a revoke-all message'),
  nonce: Id('of the revoke-all challenge'),
})

export const Account = Answer({ id: Count('account id'), name: Text('display name') }, { title: 'Account' })

export const PartnerAgent = Answer(
  {
    agent_id: Text('the registry’s id, a decimal'),
    token: Nullable(Wallet('the agent’s token')),
    symbol: Nullable(Text('the token’s symbol: deployer-chosen text, escape it')),
    role: OneOf(PARTNER_ROLES, 'the wallet’s relation to the agent'),
    name: Nullable(Text('the agent’s name: other people’s text, escape it')),
  },
  { title: 'PartnerAgent' },
)

export const ApiKeyRecord = Answer(
  {
    api_key: Text('pit_w_ and random characters; shown once'),
    key_id: Whole('id of the key'),
    wallet: Wallet('the bound wallet, lower-case'),
    account: Account,
    expires_at: UnixS(`${AUTH.keyTtlS / DAY_S} days after sign-in`),
    partner_agent: Nullable(PartnerAgent, 'when the wallet is a registry agent’s agentWallet or owner'),
    partner_check: Text('ok, or why the registry could not be read'),
    note: Text('how the key is stored'),
  },
  { title: 'ApiKey' },
)

export const AuthMe = Answer({
  wallet: Nullable(Wallet('the bound wallet')),
  account: Account,
  key_id: Whole('id of the calling key'),
  expires_at: UnixS('when the key ends'),
  partner_agent: Nullable(PartnerAgent),
})

export const Revoked = Answer({
  revoked: Type.Literal(true),
  key_id: Whole('the key that no longer works'),
  wallet: Nullable(Wallet('its wallet')),
})

export const RevokedAll = Answer({
  wallet: Wallet('wallet whose keys were revoked'),
  revoked: Count('how many keys were live'),
  note: Text('reminder that sessions stay open'),
})
