import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { grouped } from '../money/decimals.ts'
import { DAY_S, FEE, TRADE } from '../numbers.ts'
import {
  CURVE_FEE_MODES,
  FAST_SYMBOLS,
  FEE_CLASSES,
  FEE_SIDES,
  PERMIT_MODES,
  PERMIT_SCOPES,
  REFERENCE_SOURCES,
  REVOKE_STEP_KINDS,
  SIMULATE_MODELS,
  STEP_KINDS,
  VENUES,
} from '../values.ts'
import { DecodedRevocation } from './decoded.ts'
import { FastFeeTerms, FastPool, fastLimits, fastTable } from './fastTable.ts'
import {
  Answer,
  Anything,
  Atoms,
  Bps,
  ByDefault,
  Count,
  Exact,
  ExactlyOne,
  Flag,
  Hex,
  Id,
  MapOf,
  Nullable,
  Num,
  OneOf,
  Signature,
  says,
  Text,
  TokenRef,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { SlippageBySize } from './server.ts'
import {
  AcceptRisks,
  Checks,
  disclosureFields,
  Missing,
  Plan,
  Policies,
  RouteRow,
  Simulation,
  stepFields,
  Timings,
} from './trade.ts'

const SIZE = ['notional_usd', 'amount_in'] as const
type Size = Pick<typeof pairFields, (typeof SIZE)[number]> & TProperties

export const pairFields = {
  token_in: TokenRef('input token'),
  token_out: TokenRef('output token'),
  notional_usd: Type.Optional(
    Usd(`size in dollars, ${TRADE.minNotionalUsd} to ${grouped(TRADE.maxNotionalUsd)}; or amount_in`),
  ),
  amount_in: Type.Optional(Atoms('size in input atoms; or notional_usd')),
  slippage_bps: Type.Optional(
    Type.Integer({ minimum: 0, description: 'before the fee; default the pair’s, at most the pair’s cap' }),
  ),
}
/** A trade request: two tokens and exactly one size. Sizes out of range are MIN_NOTIONAL and MAX_NOTIONAL. */
export const Sized = <T extends Size>(properties: T) => ExactlyOne(SIZE, properties)

const termFields = {
  accept_risks: ByDefault([], AcceptRisks),
  shield: ByDefault(false, Flag(`ask the audit; adds ${FEE.shieldAddBps} bps`)),
  policies: Type.Optional(Policies),
}
const venues = ByDefault(
  ['venue_pool', 'venue_curve'],
  Type.Array(OneOf(VENUES), {
    description: 'venues to consider; aggregators are quoted for comparison and never built',
    minItems: 1,
    maxItems: 5,
  }),
)
export const Fund = ByDefault(
  'auto',
  Type.Union([Type.Literal('auto'), Type.Boolean()], {
    description:
      'auto: the wallet’s balance if it holds the input, otherwise a simulated one; true or false forces it',
  }),
)
export const tradeChoices = {
  min_amount_out: Type.Optional(Atoms('own floor, output atoms')),
  route_id: Type.Optional(Id('a route of an earlier quote; default the best')),
  owner_attests_non_us: ByDefault(false, Flag('required true for stock tokens')),
  fund: Fund,
  max_fee_bps: Type.Optional(
    Type.Integer({ minimum: 0, description: 'maximum fee of this request; a higher fee is FEE_BPS' }),
  ),
}
const planFields = {
  ...pairFields,
  ...termFields,
  ...tradeChoices,
  approval_mode: ByDefault('budget', Text('budget, exact or unlimited; anything else is APPROVAL_MODE')),
  approval_budget_usd: ByDefault(
    TRADE.defaultApprovalBudgetUsd,
    Usd(`for budget mode, above 0 and at most ${grouped(TRADE.maxApprovalBudgetUsd)}`),
  ),
  allow_unlimited_approval: ByDefault(false, Flag('required true with unlimited')),
  permit_mode: ByDefault('signature', OneOf(PERMIT_MODES, 'typed data, or a transaction')),
  permit_scope: ByDefault(
    'trade',
    OneOf(
      PERMIT_SCOPES,
      `this amount for ${TRADE.permitTradeExpiryS / 60} minutes, or ${TRADE.permit30dExpiryS / DAY_S} days`,
    ),
  ),
  permit_signature: Type.Optional(Signature('of `permit`, on the second call')),
  permit_now: Type.Optional(UnixS('as answered, on the second call')),
  venues,
  curve_fee_mode: ByDefault('auto', OneOf(CURVE_FEE_MODES, 'for curve tokens')),
  action: ByDefault(
    'trade',
    Type.Literal('trade', { description: 'trade, or revoke in the form of live/revoke' }),
  ),
}

export const RevokeRequest = Exact({
  wallet: Wallet('the key’s wallet'),
  tokens: ByDefault(['USDG'], Type.Array(TokenRef('a token'), { minItems: 1, maxItems: 32 })),
  spender: Type.Optional(Wallet('default the token permit contract')),
})
/** With `action: revoke` the fields of a trade are ignored, whatever they hold. */
const revokeByAction = <T extends Record<string, TSchema>>(tradeFields: T) =>
  Exact({
    ...(ignored(tradeFields) as Record<never, never>),
    ...RevokeRequest.properties,
    action: Type.Literal('revoke', { description: 'answers as live/revoke' }),
  })
const ignored = (fields: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(
    Object.keys(fields).map((name) => [name, Type.Optional(Anything('ignored with action revoke'))]),
  )
const BY_ACTION = { chosenBy: { field: 'action', value: 'revoke' } }

export const PlanRequest = Type.Union(
  [revokeByAction(planFields), Sized({ wallet: Wallet('the key’s wallet'), ...planFields })],
  BY_ACTION,
)

const simulateFields = {
  ...planFields,
  model: ByDefault('later', OneOf(SIMULATE_MODELS, 'approvals in place, or a fresh wallet')),
}
export const SimulateRequest = Type.Union(
  [
    revokeByAction(simulateFields),
    Sized({
      wallet: Type.Optional(Wallet('the key’s wallet; absent: a synthetic wallet, funded by overrides')),
      ...simulateFields,
    }),
  ],
  BY_ACTION,
)

export const QuoteRequest = Sized({
  ...pairFields,
  ...termFields,
  venues,
  fast: ByDefault(false, Flag('check the routes that won recent full scans first')),
})

const Allowance = Answer(
  {
    symbol: Text('display text: escape it'),
    spender: Wallet('address that may move it'),
    allowance: Atoms('how much'),
    permit: Nullable(
      Answer({
        spender: Nullable(Wallet('address that may move it through Permit2')),
        amount: Atoms('how much'),
        expiration: UnixS('until when'),
        live: Flag('whether it still counts'),
      }),
    ),
  },
  { title: 'Allowance' },
)
export const Revocation = Answer(
  {
    steps: Type.Array(
      Answer({
        kind: OneOf(REVOKE_STEP_KINDS, 'approve(spender, 0), or lockdown'),
        ...stepFields,
        decoded: says(DecodedRevocation, 'the call in words and numbers'),
      }),
    ),
    before: MapOf(Allowance, 'allowances found, by token'),
    simulation: Nullable(
      Answer({
        ok: Flag('whether it revokes everything'),
        after: MapOf(Allowance, 'allowances after, by token'),
      }),
    ),
    ready: Flag('the steps can be signed and sent as they are'),
    missing: Missing,
    nothing_to_revoke: Flag('no allowance is left'),
    note: Text('in words'),
  },
  { title: 'Revocation' },
)

export const BuildAnswer = Type.Union([Answer(Plan, { title: 'Plan' }), Revocation])
export const PrepareAnswer = Type.Union([
  Answer({ ...Plan, simulation: Nullable(Simulation, 'null until ready') }, { title: 'SimulatedPlan' }),
  Revocation,
])

export const Quote = Answer(
  {
    token_in: Wallet('address sold'),
    token_out: Wallet('address bought'),
    amount_in: Atoms('input, fee included'),
    notional_usd: Nullable(Usd('its value')),
    slippage_bps: Bps('used'),
    best: Nullable(
      Answer({
        ...RouteRow.properties,
        amount_out: Atoms(
          'amount the wallet receives after all fees: simulated, otherwise as quoted. In `routes` the same ' +
            'route’s amount_out is the output of the pools, before an output-side fee',
        ),
        simulated: Flag('whether the best was simulated; if not, amount_out is quoted_amount_out'),
        quoted_amount_out: Type.Optional(Atoms('amount the wallet would receive by the quote alone')),
      }),
      'the best route; null if none was quoted',
    ),
    routes: Type.Array(RouteRow, { description: 'best first' }),
    candidates: Count('routes tried'),
    mid: Nullable(Num('reference mid, output per input')),
    marks: MapOf(
      Answer({
        symbol: Text('display text: escape it'),
        price_usd: Nullable(Usd('of one whole token; null without a price')),
        source: OneOf([...REFERENCE_SOURCES, 'fixed']),
        age_s: Nullable(Count('of the reading')),
        stale: Nullable(Flag('whether it is too old; null if unknown')),
      }),
      'independent prices used, by token',
    ),
    gas_price_wei: Atoms('gas price'),
    eth_usd: Nullable(Usd('price of ETH')),
    policy: Checks,
    policy_ok: Flag('whether a plan would pass'),
    timings: Timings,
    ...disclosureFields,
  },
  { title: 'Quote' },
)

const Built = Answer(
  Object.fromEntries(Object.entries(Plan).filter(([name]) => !(name in disclosureFields))) as Omit<
    typeof Plan,
    keyof typeof disclosureFields
  >,
  { title: 'SimulatedBuild' },
)
export const TradeSimulated = Answer(
  {
    ok: Flag('whether it succeeded and delivered'),
    error: Nullable(Text('why not')),
    block: Nullable(Count('simulated on top of')),
    transactions: Type.Array(
      Answer({
        kind: OneOf(STEP_KINDS),
        status: OneOf(['ok', 'reverted']),
        gas_used: Count('gas it used'),
        error: Nullable(Text('why it reverted')),
        logs: Type.Array(
          Answer({
            address: Wallet('author'),
            topics: Type.Array(Hex('32 bytes')),
            data: Hex('the rest'),
          }),
        ),
      }),
    ),
    amount_out: Nullable(Atoms('received')),
    amount_out_min: Atoms('the plan’s minimum'),
    fee_paid: Nullable(Atoms('fee in atoms of fee_token')),
    fee_transfer: Nullable(Atoms('amount the fee recipient received')),
    gas_total: Nullable(Count('gas of all transactions')),
    gas_usd: Nullable(Usd('its cost')),
    funded_by_overrides: Flag('whether the input balance was simulated'),
    synthetic: Flag('no real wallet: it cannot be signed and only discloses'),
    checks: Checks,
    build: Nullable(Built, 'the plan that was simulated; read disclosures at the top level'),
    ...disclosureFields,
  },
  { title: 'SimulateAnswer' },
)
export const SimulateAnswer = Type.Union([TradeSimulated, Revocation])

export const SubmitRequest = ExactlyOne(['raw_tx', 'raw_txs'], {
  raw_tx: Type.Optional(Hex('one signed transaction; the earlier `steps` were already sent')),
  raw_txs: Type.Optional(
    Type.Array(Hex('signed'), {
      minItems: 1,
      maxItems: 4,
      description:
        'all transactions of a plan, in the order of `steps`: of a router plan [approve], swap; of a ' +
        'curve plan ' +
        '[approve], fee_transfer, swap; two approvals if the token needs a reset to zero first',
    }),
  ),
  fee_tx_hash: Type.Optional(
    TxHash('of a fee relayed before that paid for no swap yet, for a curve swap sent without one'),
  ),
})
export const SubmitAnswer = Answer({
  tx_hash: TxHash('of the last transaction'),
  as_built: Flag('true: it is the plan’s'),
  timings: Timings,
  tx_hashes: Type.Optional(Type.Array(TxHash('in order'), { description: 'with raw_txs' })),
  fee_first: Type.Optional(Flag('with raw_txs: whether the fee went first')),
})

export const FastRequest = Exact({
  raw_tx: Hex('signed EIP-1559 transaction'),
  token_in: Text(`one of ${FAST_SYMBOLS.join(', ')}; anything else is FAST_PAIR`, { maxLength: 64 }),
  token_out: Text(`one of ${FAST_SYMBOLS.join(', ')}; anything else is FAST_PAIR`, { maxLength: 64 }),
  amount_in: Atoms('input'),
  min_out: Atoms('least output'),
  deadline: UnixS('at most 60 s away'),
  fee_bps: Type.Integer({ minimum: 0, description: 'the wallet’s major tier, plus 10 with shield' }),
  shield: ByDefault(false, Flag('adds the shield fee')),
  permit: Type.Optional(
    Nullable(
      Exact({
        amount: Atoms('exactly amount_in'),
        expiration: UnixS('of the allowance'),
        nonce: Type.Integer({ minimum: 0, description: 'Permit2 nonce' }),
        sig_deadline: UnixS('of the signature'),
        signature: Signature('by the wallet'),
      }),
      'for an ERC-20 input when the router has no allowance',
    ),
  ),
  simulate: ByDefault(true, Flag('false skips only the simulation')),
  check_only: ByDefault(false, Flag('every check and the simulation, nothing relayed')),
  fund: Type.Optional(Flag('with check_only: lend the input in the simulation')),
  owner_attests_non_us: ByDefault(false, Flag('required true for stock tokens')),
  amount_usd: Type.Optional(Usd('USD value amount_in was computed for; AMOUNT_USD if 3% off')),
  max_notional_usd: Type.Optional(Usd('own cap; CLIENT_CAP above it')),
})
export const FastAnswer = Answer({
  tx_hash: TxHash('of the signed bytes'),
  relayed: Flag('false with check_only'),
  repeat: Flag('the same bytes were relayed before'),
  route: Answer(
    {
      pair: Text('IN/OUT'),
      version: Text('of the pinned table'),
      sha256: Text('of the pinned table'),
      pool: FastPool,
      commands: Hex('a byte per input'),
    },
    { description: 'the pinned route' },
  ),
  fee: Answer({
    bps: Bps('paid'),
    class: OneOf(FEE_CLASSES),
    tier: Bps('before shield'),
    shield: Flag('with shield'),
    side: OneOf(FEE_SIDES),
    token: Wallet('paid in'),
    recipient: Wallet('pinned'),
  }),
  min_out: Atoms('as signed'),
  min_out_floor: Nullable(Atoms('lowest accepted value')),
  checks: Checks,
  simulation: Nullable(Simulation),
  timings: Timings,
})

export const FastTerms = Answer({
  enabled: Flag('whether fast mode is on'),
  routes: Answer({
    ...fastTable,
    sha256: Text('of its canonical JSON; clients pin it'),
  }),
  deadline_s: Count('60'),
  limits: fastLimits,
  fee: FastFeeTerms,
  base_fee_wei: Nullable(Atoms('of the latest block')),
  max_notional_usd: Usd('most for one fast trade'),
  mark_max_age_s: Count('older marks are PRICE_STALE'),
  slippage_tolerance_by_size: SlippageBySize,
  stock_session_open: Flag('whether stock tokens trade now'),
  server_time: UnixS('now here'),
})
