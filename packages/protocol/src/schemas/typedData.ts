import { type TSchema, Type } from '@sinclair/typebox'
import { SessionBindingV3 } from '../bindingSchema.ts'
import { PermitMessage } from './decoded.ts'
import { Answer, Atoms, Count, Hex, MapOf, Nullable, OneOf, Text, TxHash, Wallet } from './scalars.ts'

/** Typed data that a wallet signs. */

type Field = { readonly name: string; readonly type: string }
const Types = Type.Unsafe<{ readonly [type: string]: readonly Field[] }>(
  MapOf(
    Type.Array(Answer({ name: Text('field'), type: Text('its Solidity type') })),
    'the fields of each type by its name, EIP712Domain included',
  ),
)
const domain = { chainId: Count('4663'), verifyingContract: Wallet('who verifies it') }

const typedData = <T extends TSchema, D extends TSchema, const Name extends string>(
  primaryType: Name,
  fields: { domain: D; message: T },
  title: string,
) =>
  Answer(
    { domain: fields.domain, types: Types, primaryType: Type.Literal(primaryType), message: fields.message },
    { title, description: 'EIP-712, as eth_signTypedData_v4 takes it' },
  )

export const PermitTypedData = typedData(
  'PermitSingle',
  { domain: Answer({ name: Type.Literal('Permit2'), ...domain }), message: PermitMessage },
  'PermitTypedData',
)
const DelegationTypedData = typedData(
  'Delegation',
  {
    domain: Answer({
      name: Type.Literal('DelegationManager'),
      version: Type.Literal('1'),
      ...domain,
    }),
    message: Answer({
      delegate: Wallet('the co-signer'),
      delegator: Wallet('the session’s wallet'),
      authority: TxHash('of a root: all ones'),
      caveats: Type.Array(Answer({ enforcer: Wallet('its contract'), terms: Hex('encoded terms') })),
      salt: Atoms('hash of the binding, as a decimal'),
    }),
  },
  'DelegationTypedData',
)

/** A list of orders; whole numbers of 64 bits and more are decimals. */
export const OrdersTypedData = typedData(
  'Orders',
  {
    domain: Answer({ name: Type.Literal('Pit'), version: Type.Literal('2'), ...domain }),
    message: Answer({
      session: TxHash('the session’s delegation_hash'),
      nonce: TxHash('random'),
      replaces: Type.Array(Answer({ id: TxHash('order id'), spentIn: Atoms('spent of it') })),
      orders: Type.Array(
        Answer({
          tokenIn: Wallet('sold'),
          tokenOut: Wallet('bought'),
          amountIn: Atoms('most'),
          minAmountOut: Atoms('least'),
          maxSlippageBps: Count('basis points'),
          trigger: Answer({
            kind: Count('0 none, 1 at or below, 2 at or above, 3 trailing'),
            token: Wallet('whose price counts'),
            priceE18: Atoms('dollars times 10^18'),
            trailBps: Count('basis points'),
          }),
          slices: Count('parts'),
          everyS: Count('seconds between two parts'),
          startsAt: Atoms('unix seconds'),
          expiresAt: Atoms('unix seconds'),
          group: Count('shared budget'),
          parent: Count('entry'),
        }),
      ),
    }),
  },
  'OrdersTypedData',
)

export const Caveat = Answer(
  {
    enforcer: Type.Optional(
      Type.Unsafe<string | undefined>(Text('its name; absent for one Pit does not use: do not sign it')),
    ),
    address: Wallet('its contract'),
    terms: Hex('encoded terms'),
    says: Text('in words'),
  },
  { title: 'Caveat' },
)
const toSign = {
  typed_data: DelegationTypedData,
  digest: TxHash('digest to sign'),
  delegation_hash: TxHash('hash of the root'),
}
const authorization = {
  chain_id: Type.Literal(4663),
  address: Wallet('contract whose code the wallet gets; all zero clears it'),
}

const signed = { nonce: Count('of the wallet, at which it counts'), digest: TxHash('digest to sign') }
export const AuthorizationToSign = Answer(
  {
    ...authorization,
    ...signed,
    wallet: Wallet('signer'),
    after_setup: Nullable(
      Answer(signed),
      'alternative to sign if the setup is sent before the first trade; null without a setup',
    ),
  },
  { title: 'AuthorizationToSign', description: 'an EIP-7702 authorization' },
)
export const ToSign = Answer({
  delegation: Answer({ ...toSign, binding: SessionBindingV3 }),
  authorization: Nullable(
    AuthorizationToSign,
    'EIP-7702 authorization to sign, for the wallet’s next nonce; null when the code is in place',
  ),
  curve_roots: Nullable(
    MapOf(
      Answer({ kind: OneOf(['curve', 'fee']), ...toSign, caveats: Type.Array(Caveat) }),
      'typed data of the curve roots to sign, by delegation_hash',
    ),
  ),
})

/** How a wallet removes the code that a session had installed. */
export const CodeReset = Answer(
  {
    authorization: Answer({
      ...authorization,
      nonce: Nullable(Count('when the wallet itself sends it; null while the chain cannot be read')),
    }),
    nonce_when_sent_by_another: Nullable(Count('one less')),
    wallet_code: Nullable(Text('code of the wallet: none, delegator or other')),
    how: Text('in words'),
  },
  { title: 'CodeReset' },
)

/** A delegation with its signature. */
export const SignedDelegation = Answer(
  {
    delegate: Wallet('delegate'),
    delegator: Wallet('whose it is'),
    authority: TxHash('hash of the parent delegation'),
    caveats: Type.Unsafe<readonly { enforcer: string; terms: string; args: string }[]>(
      Type.Array(
        Answer({ enforcer: Wallet('its contract'), terms: Hex('bound to'), args: Hex('given at use') }),
      ),
    ),
    salt: TxHash('32 bytes'),
    signature: Hex('by the delegator'),
  },
  { title: 'SignedDelegation' },
)
