import { Type } from '@sinclair/typebox'
import { SHIELD_POLICY_NAMES } from '../risks.ts'
import { EXECUTIONS, FEE_CLASSES, FEE_SIDES, MISSING_KINDS, STEP_KINDS } from '../values.ts'
import {
  Answer,
  Anything,
  Atoms,
  Bps,
  Count,
  Flag,
  Hex,
  Id,
  Nullable,
  Num,
  OneOf,
  Open,
  Text,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { Risk, shieldFields, TokenRecord } from './token.ts'

export const AcceptRisks = Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), {
  description: 'severe risk codes the owner accepts',
  maxItems: 64,
})
export const Policies = Type.Union(
  [Type.Literal(false), Type.Array(OneOf(SHIELD_POLICY_NAMES), { maxItems: 16 })],
  { description: 'shield policies by name; with shield and none named: block_flagged' },
)

/** At the top of every quote, plan, simulation and session trade. */
export const feeFields = {
  fee_bps: Bps('the fee this trade pays, shield included'),
  fee_class: OneOf(FEE_CLASSES),
  fee_tier: Bps('the rate before shield'),
  fee_side: OneOf(FEE_SIDES, 'the end that pays'),
  fee_token: Wallet('what the fee is paid in; all zero for ETH'),
}
export const disclosureFields = {
  risks: Type.Array(Risk, { description: 'severe first' }),
  ...feeFields,
  ...shieldFields,
}

export const PlanFee = Answer(
  {
    bps: Bps('shield included'),
    side: OneOf(FEE_SIDES),
    recipient: Wallet('the pinned recipient'),
    token: Wallet('what it is paid in'),
    command: Text('how it is paid: TRANSFER, PAY_PORTION or a plain transfer'),
    amount: Type.Optional(Atoms('on curve and batch plans')),
  },
  { title: 'Fee' },
)

const CodeAuthorization = Answer(
  {
    chain_id: Type.Literal(4663),
    address: Wallet('whose code the wallet takes'),
    nonce: Count('of the wallet, at which it counts'),
    y_parity: Count('0 or 1'),
    r: TxHash('of the wallet’s signature'),
    s: TxHash('of the wallet’s signature'),
  },
  { title: 'CodeAuthorization', description: 'EIP-7702, signed by the session’s wallet' },
)
export const Tx = Answer(
  {
    type: Type.Unsafe<2 | 4>(
      Type.Integer({
        enum: [2, 4],
        description: 'EIP-1559; 4 only for the first trade of a plain wallet’s session',
      }),
    ),
    chain_id: Type.Literal(4663),
    from: Wallet('who signs it'),
    to: Wallet('the contract called'),
    value: Atoms('wei sent'),
    data: Hex('calldata'),
    gas: Atoms('suggested gas limit; the wallet’s own to choose'),
    nonce: Count('suggested: the next free one, pending ones counted; the wallet’s own to choose'),
    max_fee_per_gas: Atoms('suggested'),
    max_priority_fee_per_gas: Atoms('suggested'),
    authorization_list: Type.Optional(
      Type.Array(CodeAuthorization, { description: 'with type 4: exactly these belong in it' }),
    ),
  },
  { title: 'UnsignedTransaction' },
)

export const Check = Answer(
  {
    code: Text('the rule’s code'),
    ok: Flag('whether it passed'),
    severity: Type.Optional(Text('refuse, warn or info')),
    message: Text('in words'),
    value: Type.Optional(Anything('what was measured')),
    limit: Type.Optional(Anything('what it was held against')),
  },
  { title: 'Check' },
)
export const Checks = Type.Array(Check, { description: 'every rule that ran' })
export const Timings = Type.Record(Type.String(), Num('milliseconds'), { description: 'ms by stage' })

export const RouteRow = Answer(
  {
    id: Id('stable hash of the path; send it as route_id'),
    venue: Text('venue_pool, venue_curve or an aggregator'),
    label: Text('the path in words'),
    ok: Flag('whether it quoted'),
    amount_out: Nullable(
      Atoms('what the pools deliver, the input less an input-side fee; an output-side fee comes off it'),
    ),
    vs_mid_bps: Nullable(Num('against the reference mid; negative is worse')),
    gas: Nullable(Count('estimated gas')),
    gas_usd: Nullable(Usd('its cost')),
    total_bps: Nullable(Num('everything lost against the mid, gas included; positive is worse')),
    impact_bps: Type.Optional(Nullable(Num('price impact; tokens by address; positive is worse'))),
    guard_bps: Type.Optional(
      Nullable(Num('distance to the independent reference; tokens by address; positive is worse')),
    ),
    why: Type.Optional(Nullable(Text('why it did not quote'))),
  },
  { title: 'RouteRow' },
)

export const Simulation = Answer(
  {
    ok: Flag('whether every transaction succeeded and delivered'),
    amount_out: Nullable(Atoms('what the wallet receives, read from balances')),
    fee_transfer: Nullable(Atoms('what the fee recipient receives')),
    gas_total: Nullable(Count('gas of all transactions')),
    funded_by_overrides: Flag('whether the input was lent for the simulation'),
    block: Type.Optional(Nullable(Count('simulated on top of'))),
    error: Type.Optional(Nullable(Text('why it failed'))),
    checks: Type.Optional(Checks),
  },
  { title: 'Simulation' },
)

export const Step = Answer(
  {
    kind: OneOf(STEP_KINDS),
    why: Text('why it is needed'),
    tx: Nullable(Tx, 'null for a signature'),
    decoded: Nullable(Open('the call in words and numbers')),
  },
  { title: 'Step' },
)

export const Missing = Type.Array(
  Answer(
    {
      what: OneOf(
        MISSING_KINDS,
        'the permit’s signature, the input’s balance, the balance of a fee paid apart, or ETH for what is sent ' +
          'and for gas at its highest price',
      ),
      token: Wallet('of which; all zero for ETH'),
      have: Nullable(Atoms('what the wallet holds; null for a signature')),
      need: Nullable(Atoms('what all steps together may take; null for a signature')),
    },
    { title: 'Missing' },
  ),
  { description: 'what the wallet lacks to send the steps now' },
)

export const Plan = {
  ready: Flag('every step can be signed and sent now, in order; `missing` says why not'),
  missing: Missing,
  tx: Nullable(
    Tx,
    'the last step’s transaction; null while a signature is needed first. What stands before it in `steps` goes ' +
      'first',
  ),
  steps: Type.Array(Step, {
    description: 'to be signed and sent in this order, one by one or all of them as raw_txs of live/submit',
  }),
  execution: OneOf(EXECUTIONS),
  route: RouteRow,
  quote: Answer({
    amount_out: Atoms('quoted output'),
    vs_mid_bps: Nullable(Num('against the reference mid; negative is worse')),
    gas: Nullable(Count('estimated gas')),
    gas_usd: Nullable(Usd('its cost')),
  }),
  amount_in: Atoms('fee included'),
  notional_usd: Nullable(Usd('fee included')),
  amount_out_min: Atoms('the least the wallet receives'),
  amount_out_expected: Atoms('what the wallet should receive'),
  deadline: UnixS('sent later, it reverts'),
  fee: PlanFee,
  checks: Checks,
  policy_ok: Flag('whether every refusing check passed'),
  permit: Nullable(Open('Permit2 PermitSingle typed data to sign; null when none is needed')),
  permit_now: Nullable(UnixS('the permit’s anchor time; send it back with permit_signature')),
  approval: Open('mode, budget, allowance left, reason, remainder after the trade'),
  wallet_state: Open('balances, allowances, nonces and code read for this plan; `stuck`: what holds it up'),
  tokens: Type.Array(TokenRecord, { description: 'records of tokens by address' }),
  accepted_risks: Type.Array(Text('risk code')),
  ...disclosureFields,
  timings: Timings,
}
