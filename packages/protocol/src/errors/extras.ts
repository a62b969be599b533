import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { FastFeeTerms } from '../schemas/fastTable.ts'
import { WantedSignature } from '../schemas/orders.ts'
import {
  Answer,
  Atoms,
  Code,
  Count,
  Flag,
  Nullable,
  OneOf,
  Text,
  TxHash,
  UnixS,
  Wallet,
} from '../schemas/scalars.ts'
import { Risk } from '../schemas/token.ts'
import { Check, Checks, measured, Simulation } from '../schemas/trade.ts'
import { AuthorizationToSign } from '../schemas/typedData.ts'
import { BUILD_DIFFS } from './fastRules.ts'
import { type ExtraName, RETRIES, type Retry } from './row.ts'

const SignerCheck = Answer(
  {
    rule: Code('the rule’s code'),
    ok: Flag('always false: only failed checks are listed'),
    message: Text('the reason as text'),
    field: Type.Optional(Text('field of the request; hosted agents only')),
    value: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'actual value' })),
    limit: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'limit' })),
  },
  { title: 'SignerCheck' },
)
const Compared = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Null(),
  Type.Array(
    Answer({ chain_id: Count('4663'), address: Wallet('delegate contract'), nonce: Count('of the wallet') }),
  ),
])
const Diff = Answer(
  {
    field: Text('field of the transaction; `plan` if none was built'),
    expected: Compared,
    got: Compared,
    first_difference: Type.Optional(Count('calldata: index of the first byte that differs')),
    expected_bytes: Type.Optional(Count('calldata: expected length')),
    got_bytes: Type.Optional(Count('calldata: actual length')),
  },
  { title: 'Diff' },
)
const Failure = Answer(
  { code: Code('the rule’s code'), message: Text('the reason as text'), ...measured },
  { title: 'Failure' },
)

const Retries = OneOf(
  Object.keys(RETRIES) as Retry[],
  Object.entries(RETRIES)
    .map(([name, means]) => `${name}: ${means}`)
    .join(' '),
)

/** Fields of every error response besides its code. */
export const ERROR_FIELDS = {
  message: Text('for people; may change'),
  retry: { ...Retries, title: 'Retry' },
  hint: Text('what to do next, for people; may change'),
  retry_after_s: Type.Optional(Type.Integer({ minimum: 1, description: 'same as Retry-After' })),
}

/** Schemas of the extras; `EXTRAS` has their meanings. */
export const EXTRA_SCHEMAS = {
  unaccepted: Type.Array(Code('risk code')),
  blocked: Type.Array(Code('risk code')),
  policy: Answer({ names: Type.Array(Text('policy name')), checks: Checks }, { title: 'PolicyOutcome' }),
  diffs: Type.Union([Type.Array(Diff), Type.Array(OneOf(BUILD_DIFFS))]),
  checks: Type.Union([Type.Array(Check), Type.Array(SignerCheck)]),
  signer_checks: Type.Array(SignerCheck),
  sent: Type.Array(TxHash('in order')),
  tx_hash: TxHash('transaction hash'),
  failures: Type.Array(Failure),
  terms: Answer(
    {
      fee: FastFeeTerms,
      floor: Nullable(Atoms('lowest min_out that passes')),
      base_fee_wei: Atoms('of the latest block'),
      max_cost_wei: Atoms('maximum of gas limit times fee cap'),
      mark_max_age_s: Count('maximum age of a mark before PRICE_STALE'),
      server_time: UnixS('current server time'),
    },
    { title: 'FastTermsNow' },
  ),
  bucket: Text('name of the limit'),
  sign: Answer({ authorization: AuthorizationToSign }),
  owner: Wallet('owner'),
  field: Text('path'),
  risks: Type.Array(Risk),
  why: Text('the reason as text'),
  chain: Answer(
    { spent: Flag('another transaction took the nonce'), nonce: Nullable(Count('next free nonce')) },
    { title: 'NonceNow' },
  ),
  simulation: Nullable(Simulation),
  orders: WantedSignature,
} as const satisfies { readonly [Name in ExtraName]: TSchema }

/** Accepts readonly lists as well. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T
export type Extras = { readonly [Name in ExtraName]?: DeepReadonly<Static<(typeof EXTRA_SCHEMAS)[Name]>> }
