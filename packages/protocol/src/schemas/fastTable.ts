import { type Static, Type } from '@sinclair/typebox'
import { FEE_CLASSES, FEE_SIDES } from '../values.ts'
import {
  Answer,
  Atoms,
  Bps,
  Count,
  Flag,
  Hex,
  MapOf,
  Nullable,
  Num,
  OneOf,
  Text,
  Usd,
  Wallet,
} from './scalars.ts'

/** The pinned routes of fast mode, as `fastRoutesOf` makes them. */

const FastToken = Answer({
  symbol: Text('core symbol'),
  address: Wallet('all zero for ETH'),
  decimals: Count('decimals'),
})
const ends = { token_in: Wallet('input token'), token_out: Wallet('output token') }
const fee = Count('pool fee, hundredths of a basis point')
export const FastPool = Type.Union(
  [
    Answer({ version: Type.Literal('v3'), address: Wallet('the pool'), fee, ...ends, path: Hex('packed') }),
    Answer({
      version: Type.Literal('v4'),
      currency0: Wallet('of the pool key'),
      currency1: Wallet('of the pool key'),
      fee,
      tick_spacing: Count('of the pool key'),
      hooks: Wallet('all zero'),
      ...ends,
      zero_for_one: Flag('whether currency0 is sold'),
    }),
  ],
  { title: 'FastPool', description: 'a pinned pool and the way through it' },
)
export type FastPool = Static<typeof FastPool>
/** A text, a flag, or a list of such: what one ABI type is encoded from. Numbers are decimal texts. */
export type RouterValue = string | boolean | readonly RouterValue[]
const RouterValue = Type.Unsafe<RouterValue>(
  Type.Union([Type.String(), Type.Boolean(), Type.Array(Type.Unknown())], {
    description: 'a value of its ABI type; values that start with $ are filled in; a list for a tuple',
  }),
)
const encoded = {
  name: Text('the router’s name of it'),
  types: Type.Array(Text('ABI type')),
  values: Type.Array(RouterValue),
}
/**
 * A value that starts with `$` is filled in: amount_in, fee (floor(amount_in × bps / 10,000)), swap_in
 * (amount_in − fee), min_out, fee_bps, and the permit's parts.
 */
const RouterInput = Answer(
  {
    command: Hex('one byte'),
    ...encoded,
    actions: Type.Optional(
      Type.Array(Answer(encoded), { description: 'V4_SWAP: meaning of its second value' }),
    ),
  },
  { title: 'RouterInput', description: 'one command: abi.encode of `values` by `types`' },
)
export type RouterInput = Static<typeof RouterInput>
/**
 * A pinned pair in one direction: all that the bytes of a trade are made of, but the amounts and the fee's
 * rate.
 */
const FastRoute = Answer(
  {
    token_in: FastToken,
    token_out: FastToken,
    pool: FastPool,
    pool_fee_bps: Num('pool fee'),
    band_bps: Bps('how far the pool may stand under the marks beyond its fee'),
    fee: Answer({
      side: OneOf(FEE_SIDES),
      token: Wallet('paid in'),
      recipient: Wallet('pinned'),
      command: Text('how it is paid'),
    }),
    value: Text('ETH value of the transaction: $amount_in or 0'),
    commands: Hex('a byte per input, in order'),
    inputs: Type.Array(RouterInput),
    permit: Nullable(
      Answer({
        commands: Hex('with the permit first'),
        input: RouterInput,
        gas_add: Count('more gas it needs'),
      }),
      'for an input the router has no allowance for; null for ETH',
    ),
    gas_floor: Count('least gas limit'),
    max_usd: Usd('size cap'),
  },
  { title: 'FastRoute' },
)
export type FastRoute = Static<typeof FastRoute>
export const fastTable = {
  version: Text('of the pinned table'),
  chain_id: Count('4663'),
  router: Nullable(Wallet('called')),
  router_layout: Text('the release the router runs'),
  permit2: Wallet('the token permit contract'),
  fee_recipient: Nullable(Wallet('pinned')),
  selector: Hex('of the router’s execute'),
  max_usd: MapOf(Usd('cap'), 'size cap by pair'),
  pairs: MapOf(FastRoute, 'by IN/OUT'),
}
export type FastTable = { [Name in keyof typeof fastTable]: Static<(typeof fastTable)[Name]> }
export const fastLimits = Answer(
  {
    tx_type: Count('EIP-1559'),
    gas_limit_max: Count('most gas'),
    max_fee_per_gas_base_fee_multiple: Num('of the latest base fee'),
    max_cost_wei: Atoms('gas limit times fee cap'),
    min_notional_usd: Usd('least size'),
    amount_usd_tolerance_pct: Num('how far amount_usd may be off'),
    band_bps_usdg: Bps('band of pairs with USDG'),
    band_bps_cross: Bps('band of other pairs'),
    max_vs_mid_bps: Bps('how far under the reference mid'),
    permit_expiry_s: Count('longest life of a permit'),
  },
  { description: 'gas, fee cap, cost and band limits' },
)
export const FastFeeTerms = Answer(
  {
    schedule: Type.Literal(2),
    class: OneOf(FEE_CLASSES),
    tier_bps: Bps('the wallet’s tier'),
    bps: Bps('rate to declare, with shield if requested'),
    shield_add_bps: Bps('10'),
    posted_bps: Bps('25'),
    recipient: Nullable(Wallet('pinned')),
  },
  { title: 'FastFee' },
)
