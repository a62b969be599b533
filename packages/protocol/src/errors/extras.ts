import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { FastFeeTerms } from '../schemas/fastTable.ts'
import {
  Answer,
  Atoms,
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
    rule: Text('the rule’s code'),
    ok: Flag('false: only failed ones are listed'),
    message: Text('in words'),
    field: Type.Optional(Text('of the request; of hosted agents')),
    value: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'what was found' })),
    limit: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: 'what it is held to' })),
  },
  { title: 'SignerCheck' },
)
const Compared = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Null(),
  Type.Array(
    Answer({ chain_id: Count('4663'), address: Wallet('whose code'), nonce: Count('of the wallet') }),
  ),
])
const Diff = Answer(
  {
    field: Text('of the transaction; plan when none was built'),
    expected: Compared,
    got: Compared,
    first_difference: Type.Optional(Count('of calldata: the first byte that differs')),
    expected_bytes: Type.Optional(Count('of calldata: its length')),
    got_bytes: Type.Optional(Count('of calldata: its length')),
  },
  { title: 'Diff' },
)
const Failure = Answer(
  { code: Text('the rule’s code'), message: Text('in words'), ...measured },
  { title: 'Failure' },
)

const Retries = OneOf(
  Object.keys(RETRIES) as Retry[],
  Object.entries(RETRIES)
    .map(([name, means]) => `${name}: ${means}`)
    .join(' '),
)

/** What every refusal may carry beside its code. */
export const ERROR_FIELDS = {
  message: Text('for people; may change'),
  retry: { ...Retries, title: 'Retry' },
  hint: Text('what to do about it, for people; may change'),
  retry_after_s: Type.Optional(Type.Integer({ minimum: 1, description: 'as Retry-After' })),
}

/** What each extra looks like; `EXTRAS` says what it means. */
export const EXTRA_SCHEMAS = {
  unaccepted: Type.Array(Text('risk code')),
  blocked: Type.Array(Text('risk code')),
  policy: Answer({ names: Type.Array(Text('policy name')), checks: Checks }, { title: 'PolicyOutcome' }),
  diffs: Type.Union([Type.Array(Diff), Type.Array(OneOf(BUILD_DIFFS))]),
  checks: Type.Union([Type.Array(Check), Type.Array(SignerCheck)]),
  signer_checks: Type.Array(SignerCheck),
  sent: Type.Array(TxHash('in order')),
  tx_hash: TxHash('its hash'),
  failures: Type.Array(Failure),
  terms: Answer(
    {
      fee: FastFeeTerms,
      floor: Nullable(Atoms('the least min_out that passes')),
      base_fee_wei: Atoms('of the latest block'),
      max_cost_wei: Atoms('gas limit times fee cap, at most'),
      mark_max_age_s: Count('older marks are PRICE_STALE'),
      server_time: UnixS('now here'),
    },
    { title: 'FastTermsNow' },
  ),
  bucket: Text('its name'),
  sign: Answer({ authorization: AuthorizationToSign }),
  owner: Wallet('owner'),
  field: Text('path'),
  risks: Type.Array(Risk),
  why: Text('in words'),
  chain: Answer(
    { spent: Flag('another transaction took the nonce'), nonce: Nullable(Count('the next free one')) },
    { title: 'NonceNow' },
  ),
  simulation: Nullable(Simulation),
} as const satisfies { readonly [Name in ExtraName]: TSchema }

/** Lists may be handed over as they are kept. */
type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Given<T[Name]> }
    : T
export type Extras = { readonly [Name in ExtraName]?: Given<Static<(typeof EXTRA_SCHEMAS)[Name]>> }
