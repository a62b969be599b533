import { type Static, Type } from '@sinclair/typebox'
import { SHIELD_POLICY_NAMES } from '../risks.ts'
import {
  APPROVAL_MODES,
  EXECUTIONS,
  FEE_CLASSES,
  FEE_COMMANDS,
  FEE_SIDES,
  MISSING_KINDS,
  STEP_KINDS,
  TOKEN_TIERS,
  VENUES,
} from '../values.ts'
import { Decoded } from './decoded.ts'
import {
  Answer,
  Atoms,
  Bps,
  Code,
  Count,
  Flag,
  Hex,
  Id,
  MapOf,
  Nullable,
  Num,
  OneOf,
  says,
  Text,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { RiskTerms } from './sessionSummary.ts'
import { Risk, shieldFields, TokenRecord } from './token.ts'
import { PermitTypedData } from './typedData.ts'

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
  fee_token: Wallet('token of the fee; all zero for ETH'),
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
    token: Wallet('token of the payment'),
    command: OneOf(FEE_COMMANDS, 'how it is paid'),
    amount: Type.Optional(Atoms('on curve and batch plans')),
  },
  { title: 'Fee' },
)

const CodeAuthorization = Answer(
  {
    chain_id: Type.Literal(4663),
    address: Wallet('contract whose code the wallet gets'),
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
    from: Wallet('signer'),
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

const Tiers = Answer({ token_in: OneOf(TOKEN_TIERS), token_out: OneOf(TOKEN_TIERS) }, { title: 'Tiers' })
const Short = Answer(
  { what: Text('missing balances'), has: Text('what it has'), needs: Text('what it needs') },
  { title: 'Short' },
)
const MarkAge = Answer(
  {
    symbol: Text('core symbol'),
    age_s: Nullable(Num('since its reading')),
    round_age_s: Nullable(Num('since the feed’s own round')),
  },
  { title: 'MarkAge' },
)
export type Measured =
  | (string | number | boolean | null)
  | readonly (string | number | Static<typeof Short> | Static<typeof MarkAge>)[]
  | Static<typeof Tiers>
  | Static<typeof RiskTerms>
const Measured = (description: string) =>
  Type.Unsafe<Measured>(
    Type.Union(
      [
        Type.String(),
        Type.Number(),
        Type.Boolean(),
        Type.Null(),
        Type.Array(Type.Union([Type.String(), Type.Number(), Short, MarkAge])),
        Tiers,
        RiskTerms,
      ],
      { description },
    ),
  )
export const measured = {
  value: Type.Optional(Measured('measured value')),
  limit: Type.Optional(Measured('limit')),
}
export const Check = Answer(
  {
    code: Code('the rule’s code'),
    ok: Flag('whether it passed'),
    severity: Type.Optional(OneOf(['refuse', 'warn', 'info'])),
    message: Text('in words'),
    ...measured,
  },
  { title: 'Check' },
)
export const Checks = Type.Array(Check, { description: 'every rule that ran' })
export const Timings = MapOf(Num('milliseconds'), 'ms by stage')

export const RouteRow = Answer(
  {
    id: Id('stable hash of the path; send it as route_id'),
    venue: OneOf(VENUES),
    label: Text('the path in words'),
    ok: Flag('whether it quoted'),
    amount_out: Nullable(
      Atoms(
        'output of the pools for the input less an input-side fee; an output-side fee is deducted from it',
      ),
    ),
    vs_mid_bps: Nullable(Num('against the reference mid; negative is worse')),
    gas: Nullable(Count('estimated gas')),
    gas_usd: Nullable(Usd('its cost')),
    total_bps: Nullable(Num('total cost against the mid, gas included; positive is worse')),
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
    amount_out: Nullable(Atoms('amount the wallet receives, read from balances')),
    fee_transfer: Nullable(Atoms('amount the fee recipient receives')),
    gas_total: Nullable(Count('gas of all transactions')),
    funded_by_overrides: Flag('whether the input balance was simulated'),
    block: Type.Optional(Nullable(Count('simulated on top of'))),
    error: Type.Optional(Nullable(Text('why it failed'))),
    checks: Type.Optional(Checks),
  },
  { title: 'Simulation' },
)

export const stepFields = {
  why: Text('why it is needed'),
  tx: Nullable(Tx, 'null for a signature'),
}
export const Step = Answer(
  { kind: OneOf(STEP_KINDS), ...stepFields, decoded: says(Decoded, 'the call in words and numbers') },
  { title: 'Step' },
)

export const Missing = Type.Array(
  Answer(
    {
      what: OneOf(
        MISSING_KINDS,
        'the permit’s signature, the input’s balance, the balance of a separate fee, or ETH for values sent ' +
          'and for gas at its highest price',
      ),
      token: Wallet('of which; all zero for ETH'),
      have: Nullable(Atoms('the wallet’s balance; null for a signature')),
      need: Nullable(Atoms('total of all steps; null for a signature')),
    },
    { title: 'Missing' },
  ),
  { description: 'balances missing to send the steps now' },
)

const Allowed = (description: string) => Nullable(Atoms(description))
const permitted = {
  amount: Atoms('amount the router may move through Permit2'),
  expiration: UnixS('until when'),
}
const Approval = Answer(
  {
    mode: OneOf(APPROVAL_MODES),
    budget_usd: Usd('as sent'),
    spender: Nullable(Wallet('the token permit contract, or the curve; null for ETH')),
    reason: Text('why it is needed, or not'),
    allowance: Allowed('found; null for ETH'),
    needed: Atoms('by this trade'),
    approve: Allowed('amount the approval step sets; null without one'),
    after: Allowed('left once the trade is done; null for ETH'),
    permit: Type.Optional(Nullable(Answer(permitted), 'permit to be set in Permit2; null if already set')),
  },
  { title: 'Approval', description: 'what the wallet approves, and why' },
)
const Stuck = Answer(
  {
    nonce: Count('which has to be mined first'),
    tx_hash: Nullable(TxHash('the transaction relayed with it; null if there was none')),
    since: UnixS('for how long the oldest has waited'),
    replace: Text('how to replace it, in words'),
  },
  { title: 'Stuck' },
)
const WalletState = Answer(
  {
    wallet: Wallet('the wallet'),
    block: Count('read at'),
    nonce: Count('the next free one, pending ones counted'),
    mined_nonce: Count('the next that a block can take; less than `nonce` while transactions wait'),
    stuck: Nullable(Stuck, 'a transaction that blocks the wallet’s later ones; null if none'),
    balance_wei: Atoms('its ETH'),
    balance_in: Atoms('its balance of the input token'),
    allowance: Atoms('of the input to the token permit contract'),
    permit: Answer({ ...permitted, nonce: Count('the next one at Permit2') }),
    curve_allowance: Atoms('of the input to the curve'),
    delegated_to: Nullable(Wallet('the code an EIP-7702 wallet runs')),
    has_other_code: Flag('whether it is a contract of another kind'),
    stocks: Type.Array(
      Answer({
        token: Wallet('a stock end'),
        paused: Flag('by its issuer'),
        blocked: Flag('for this wallet'),
      }),
    ),
  },
  { title: 'WalletState', description: 'balances, allowances and code read for this plan' },
)

export const Plan = {
  ready: Flag('whether every step can be signed and sent now, in order; `missing` lists the reasons if not'),
  missing: Missing,
  tx: Nullable(
    Tx,
    'the last step’s transaction; null while a signature is needed first. Send the earlier `steps` first',
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
  amount_out_min: Atoms('minimum the wallet receives'),
  amount_out_expected: Atoms('expected amount the wallet receives'),
  deadline: UnixS(
    'latest time to send it: later it reverts, or is not relayed if `decoded.deadline` is null',
  ),
  fee: PlanFee,
  checks: Checks,
  policy_ok: Flag('whether every refusing check passed'),
  permit: Nullable(PermitTypedData, 'Permit2 PermitSingle typed data to sign; null if none is needed'),
  permit_now: Nullable(UnixS('the permit’s anchor time; send it back with permit_signature')),
  preview: Nullable(
    Answer({
      to: Wallet('the router'),
      value: Atoms('wei'),
      data: Hex('calldata, without the permit'),
    }),
    'the swap as it is planned now, while `permit` waits for its signature: verify it before you sign; ' +
      'null otherwise',
  ),
  approval: Approval,
  wallet_state: WalletState,
  tokens: Type.Array(TokenRecord, { description: 'records of tokens by address' }),
  accepted_risks: Type.Array(Code('risk code')),
  ...disclosureFields,
  timings: Timings,
}
