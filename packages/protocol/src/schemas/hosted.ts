import { type ObjectOptions, type TProperties, Type } from '@sinclair/typebox'
import { HOSTED } from '../numbers.ts'
import {
  AI_FUNDING,
  BRAINS,
  FEE_CLASSES,
  HOSTED_MODES,
  HOSTED_STATUSES,
  LOG_KINDS,
  REFUND_STATUSES,
} from '../values.ts'
import { AgentToken, LastDecision, LastTrade, LiveStats, NextHold, Pnl, Watch } from './agentResults.ts'
import { AiToday } from './ai.ts'
import { AnyBrainParams, BRAIN_FORMS, SENT_BRAIN_FORMS } from './brainParams.ts'
import { PauseReason } from './pauseReason.ts'
import {
  Answer,
  Anything,
  Atoms,
  Before,
  Bps,
  ByDefault,
  CheckedLater,
  ClientId,
  Code,
  Count,
  Exact,
  Flag,
  Hex,
  Id,
  Limit,
  ModelId,
  Name,
  Nullable,
  OneOf,
  Open,
  Pair,
  Policy,
  Signature,
  Text,
  TokenName,
  TxHash,
  UnixS,
  Usd,
  Wallet,
  WithForms,
} from './scalars.ts'
import { EndStep, endedFields as ended } from './session.ts'
import { AcceptRisks, Policies } from './trade.ts'

export const HostedParams = Type.Object({ id: Id('the agent') })

const Pairs = Type.Array(
  Type.String({ pattern: '^[^/\\u0000-\\u001f]{1,64}/[^/\\u0000-\\u001f]{1,64}$', examples: ['ETH/USDG'] }),
  { minItems: 1, maxItems: 32, description: 'BASE/QUOTE, each a core symbol or an address' },
)
const LimitsIn = Exact(
  {
    max_trade_usd: Type.Number({ exclusiveMinimum: 0, description: 'most for one trade' }),
    max_day_usd: Type.Number({ exclusiveMinimum: 0, description: 'most in 24 hours' }),
    max_position_usd: Type.Number({ exclusiveMinimum: 0, description: 'most held in one asset' }),
  },
  { title: 'HostedLimits' },
)
const fields = {
  brain: OneOf(BRAINS, 'decision method'),
  interval_s: Type.Integer({
    minimum: HOSTED.minIntervalS,
    maximum: HOSTED.maxIntervalS,
    description: 'seconds between ticks; partner_llm and practice entrants 300 or more',
  }),
  pairs: Pairs,
  limits: LimitsIn,
  name: Name('for people', { maxLength: HOSTED.nameMaxChars }),
  accept_risks: AcceptRisks,
  shield: Flag('every trade asks the audit'),
  policies: Policies,
}

const Create = Exact({
  brain: fields.brain,
  params: Type.Unsafe<unknown>(Open('parameters of the brain')),
  interval_s: fields.interval_s,
  pairs: fields.pairs,
  limits: fields.limits,
  mode: ByDefault('paper', OneOf(HOSTED_MODES, 'a live agent starts paused and needs a session')),
  name: Type.Optional(fields.name),
  paper_book: Type.Optional(
    Exact({ usdg: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: 'starting USDG' }) }),
  ),
  accept_risks: ByDefault([], fields.accept_risks),
  shield: ByDefault(false, fields.shield),
  policies: Type.Optional(fields.policies),
  client_id: ClientId,
})
export const HostedCreate = WithForms(Create, SENT_BRAIN_FORMS)
export const HostedUpdate = Exact({
  name: Type.Optional(fields.name),
  brain: Type.Optional(fields.brain),
  params: Type.Optional(CheckedLater(AnyBrainParams, 'parameters of the brain')),
  interval_s: Type.Optional(fields.interval_s),
  pairs: Type.Optional(fields.pairs),
  limits: Type.Optional(Type.Partial(LimitsIn, { additionalProperties: false })),
  live: Type.Optional(Flag('on needs an attached session that fits, and the kill switch off')),
  accept_risks: Type.Optional(fields.accept_risks),
  shield: Type.Optional(fields.shield),
  policies: Type.Optional(fields.policies),
})

const Terms = Answer(
  {
    accept_risks: Type.Array(Code('risk code')),
    shield: Flag('with audit'),
    policies: Type.Optional(Type.Array(Policy('policy name'))),
    fees: Answer({
      major_max_bps: Bps('posted major rate'),
      major_min_bps: Bps('lowest major rate'),
      other_bps: Bps('other trades'),
      shield_add_bps: Type.Optional(Bps('with shield: on top of each')),
    }),
    fee_schedule: Count('2; 1 for a session granted before schedule 2'),
    fee_bps: Type.Optional(Bps('schedule 1 only')),
  },
  { title: 'HostedTerms' },
)
const entry = {
  id: Id('agent'),
  name: Nullable(Text('for people: escape it')),
  brain: OneOf(BRAINS),
  params: Type.Unsafe<unknown>(Open('as set')),
  interval_s: Count('seconds between ticks'),
  pairs: Type.Array(Pair('BASE/QUOTE')),
  limits: Answer({
    max_trade_usd: Usd('one trade'),
    max_day_usd: Usd('24 hours'),
    max_position_usd: Usd('one asset'),
  }),
  mode: OneOf(HOSTED_MODES),
  live: Flag('whether it trades for real'),
  status: OneOf(HOSTED_STATUSES),
  pause_reason: PauseReason,
  trading: Flag('whether the next tick may trade'),
  session_id: Nullable(Id('attached session')),
  executor: Nullable(Wallet('live agents')),
  terms: Terms,
  session_terms: Nullable(Terms, 'of the attached session'),
  tokens: Type.Array(AgentToken),
  pnl: Nullable(Pnl, 'equity, profit and drawdown in dollars, and since when'),
  last_decision: Nullable(LastDecision),
  live_stats: Nullable(LiveStats, 'live trades, volume and fees; null for paper'),
  watch: Nullable(Watch, 'time of the next tick and reasons that block trading; null once stopped'),
}
export const StockAttestation = Answer(
  {
    session_id: Id('session'),
    issued: UnixS('issued'),
    expires: UnixS('ends'),
    signed_at: UnixS('received'),
    valid: Flag('whether stock orders may trade now'),
    why_not: Nullable(Text('why it is not valid')),
  },
  { title: 'StockAttestation' },
)
export const GasRefund = Answer(
  {
    id: Id('agent'),
    executor: Wallet('from'),
    to: Wallet('the owner on record'),
    value_wei: Atoms('sent back'),
    balance_wei: Atoms('the executor’s balance before'),
    tx_hash: TxHash('the transfer'),
    raw: Hex('the signed transaction'),
    nonce: Count('its nonce'),
    gas: Count('its gas limit'),
    max_fee_per_gas: Atoms('wei'),
    max_cost_wei: Atoms('gas times fee'),
    status: OneOf(REFUND_STATUSES),
    block: Nullable(Count('its block')),
    already: Flag('the same signed transaction as before'),
    relay_error: Nullable(Text('response of the relay')),
    closed: Flag('the executor no longer trades'),
  },
  { title: 'GasRefund' },
)

const ExecutorAttestation = Nullable(
  Answer(
    {
      text: Text('statement of the co-signer'),
      signature: Hex('EIP-191, by the co-signer'),
      cosigner: Wallet('signer'),
    },
    { title: 'ExecutorAttestation' },
  ),
  'holder of the executor’s key',
)
const live = {
  session_root_hash: Type.Optional(Nullable(TxHash('hash of the session’s root'))),
  session_expires: Type.Optional(Nullable(UnixS('end of the session'))),
  stock_attestation: Type.Optional(Nullable(StockAttestation)),
  stock_attestation_not_before: Type.Optional(Nullable(UnixS('a new one must be issued after this'))),
  stock_tokens: Type.Optional(Type.Array(TokenName('symbol or address'))),
  gas_refund: Type.Optional(Nullable(GasRefund)),
  executor_attestation: Type.Optional(ExecutorAttestation),
}
const detail = {
  brain_state: Nullable(Open('state of the brain')),
  last_trade: Nullable(LastTrade),
  next_tick_holds: Type.Optional(
    Nullable(
      Type.Array(NextHold),
      'holds in addition to watch.holds that its orders would get now, by wallet, limits and market, also ' +
        'before it is activated; null once stopped, or if unreadable',
    ),
  ),
  orders: Type.Optional(
    Nullable(
      Answer({ open: Count('open signed orders'), wanted: Count('signatures that it waits for') }),
      'null for an agent without signed orders',
    ),
  ),
  ...live,
}

export const HostedAgent = WithForms(Answer(entry, { title: 'HostedAgent' }), BRAIN_FORMS)
/** An agent in detail, with what a route adds. */
const Detailed = <T extends TProperties>(added: T, options: ObjectOptions = {}) =>
  WithForms(Answer({ ...entry, ...detail, ...added }, options), BRAIN_FORMS)
export const HostedDetail = Detailed({}, { title: 'HostedAgentDetail' })
export const HostedList = Answer({ agents: Type.Array(HostedAgent) })
const Detached = Nullable(
  Answer({ session_id: Id('the session'), fields: Type.Array(Text('what changed')) }, { title: 'Detached' }),
  'ours: the session that this change detached; null if none',
)
export const HostedUpdated = Detailed({
  webhook_secret: Type.Optional(Text('when the brain became a webhook; shown once')),
  detached: Detached,
})
export const HostedCreated = Detailed({
  webhook_secret: Type.Optional(Text('webhook agents; shown once')),
  ai: Type.Optional(
    Answer(
      { model: ModelId('model'), funding: OneOf(AI_FUNDING), today: AiToday },
      { description: 'AI agents' },
    ),
  ),
  holds: Type.Array(Answer({ code: Code('hold code'), message: Text('what to change') }), {
    description:
      'AI agents: current reasons not to call the model, such as funding that does not cover this ' +
      'interval; empty if it can be called',
  }),
})
export const SessionRevoke = Answer(
  {
    on_chain: Type.Array(EndStep, { description: 'for the main key; empty if nothing was open' }),
    sessions: Type.Optional(Type.Array(Answer(ended), { description: 'what ended' })),
  },
  { title: 'HostedSessionRevoke', description: 'how the session ends on chain' },
)
export const HostedStopped = Detailed({ session_revoke: SessionRevoke })
export const HostedDeleted = Answer({
  id: Id('agent'),
  deleted: Type.Literal(true),
  executor: Nullable(Wallet('still readable')),
})
export const HostedRotated = Detailed({
  retired_executor: Wallet('no longer trades'),
  session_revoke: SessionRevoke,
})
export const WebhookSecret = Answer({
  id: Id('agent'),
  webhook_secret: Text('shown once; the old one stopped'),
  detached: Detached,
})
export const HostedAttested = Detailed({ stock_attestation: Nullable(StockAttestation) })
export const HostedUnattested = Detailed({ signer_revoked: Flag('whether the signing service confirmed') })

export const AttachSession = Exact({ session_id: Id('a session the owner granted to the agent’s executor') })
export const AttestStock = Exact({
  session_id: Id('the attached session'),
  issued: UnixS('within the last hour and after the last attestation or revocation'),
  expires: UnixS('5 minutes ahead to the session’s end, at most 30 days'),
  signature: Signature('EIP-191, by the owner wallet, over the attestation text'),
})

export const LogsQuery = Exact({
  limit: Limit(200, 50),
  before: Before('rows'),
  kinds: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(,[a-z_]+)*$',
      maxLength: 200,
      description: `comma-separated: ${LOG_KINDS.join(', ')}`,
    }),
  ),
})
export const HostedLogs = Answer({
  id: Id('agent'),
  rows: Type.Array(
    Answer(
      {
        id: Count('row id'),
        ts: UnixS('when'),
        tick: Type.Optional(Count('the tick it belongs to')),
        kind: OneOf(LOG_KINDS),
        code: Type.Optional(Nullable(Code('hold or error code'))),
        message: Type.Optional(Nullable(Text('in words'))),
        fee_bps: Nullable(Bps('of a trade, also of the watch rows that follow it'), 'null on other rows'),
        fee_class: Nullable(OneOf(FEE_CLASSES), 'of a trade; null on other rows'),
        fee_tier: Nullable(Bps('of a trade: the rate of the wallet’s tier'), 'null on other rows'),
        data: Type.Optional(Anything('the decision, order or event itself')),
      },
      { title: 'LogRow' },
    ),
    { description: 'newest first' },
  ),
  next_before: Nullable(Count('page on with before')),
})

export const Executor = Answer({
  executor: Wallet('the executor'),
  balance_wei: Atoms('its ETH'),
  balance_usd: Nullable(Usd('its value')),
  min_balance_wei: Atoms('requirements to trade'),
  min_balance_usd: Nullable(Usd('its value')),
  enough: Flag('whether it can pay gas'),
  top_up: Nullable(
    Answer({
      to: Wallet('the executor'),
      amount_wei: Atoms('how much'),
      amount_usd: Nullable(Usd('its value')),
      trades: Count('about how many it pays'),
      chain_id: Type.Literal(4663),
      message: Text('in words'),
    }),
    'amount and address to fund; null if sufficient',
  ),
  refund: Answer({
    available: Flag('whether refund-gas would work now'),
    why_not: Nullable(Text('why not')),
    route: Text('the route that refunds'),
    last: Nullable(GasRefund),
  }),
  executor_attestation: ExecutorAttestation,
  trades_left: Type.Optional(Count('about how many trades its ETH pays at today’s fees')),
  closed: Type.Optional(Flag('its gas was refunded: it no longer trades')),
  retired: Type.Optional(
    Type.Array(
      Answer({
        executor: Wallet('replaced'),
        balance_wei: Atoms('left on it'),
        retired_at: Nullable(UnixS('when')),
        closed: Flag('its gas was refunded'),
      }),
      { description: 'former executors with their remaining balances' },
    ),
  ),
})
