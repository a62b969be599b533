import { Type } from '@sinclair/typebox'
import {
  AMOUNT_OUT_KINDS,
  BRAINS,
  HOLDING_KINDS,
  HOSTED_MODES,
  HOSTED_STATUSES,
  TRADE_PATHS,
  TRADE_STATUSES,
  UNPRICED_REASONS,
} from '../values.ts'
import { HistoryPoints } from './history.ts'
import { PauseReason } from './pauseReason.ts'
import {
  Answer,
  Atoms,
  Before,
  Bps,
  Code,
  Count,
  Decimal,
  Flag,
  Id,
  Limit,
  Nullable,
  OneOf,
  Pair,
  QueryFlag,
  Text,
  TokenName,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { MajorTiers } from './server.ts'
import { SessionSummary } from './sessionSummary.ts'

const named = { token: TokenName('core symbol or address'), address: Wallet('all zero for ETH') }
const TradeToken = Answer(
  {
    ...named,
    symbol: Nullable(Text('display text: escape it')),
    name: Nullable(Text('display text: escape it')),
    decimals: Nullable(Count('decimals')),
  },
  { title: 'TradeToken' },
)
export const TradeRow = Answer(
  {
    id: Count('row id, for paging'),
    time: UnixS('relayed or refused'),
    path: OneOf(TRADE_PATHS),
    status: OneOf(TRADE_STATUSES, 'dropped and refused only with refused=1'),
    code: Type.Optional(Nullable(Code('why it was refused'))),
    token_in: TradeToken,
    token_out: TradeToken,
    amount_in: Nullable(Atoms('of token_in')),
    amount_out: Nullable(Atoms('null when nothing came out')),
    amount_out_kind: Nullable(OneOf(AMOUNT_OUT_KINDS, 'amount the wallet received, or the plan’s minimum')),
    amount_out_min: Nullable(Atoms('the plan’s minimum')),
    tx_hash: Nullable(TxHash('the transaction')),
    block: Nullable(Count('its block')),
    session_id: Type.Optional(Nullable(Id('session and hosted trades'))),
  },
  { title: 'Trade' },
)
export const TradesQuery = Type.Object({
  limit: Limit(100, 50),
  before: Before('trades'),
  refused: QueryFlag('also never-mined trades and refused calls'),
})
export const Trades = Answer({
  wallet: Wallet('the key’s wallet'),
  trades: Type.Array(TradeRow, { description: 'newest first' }),
  next_before: Nullable(Count('last trade’s id when older ones exist')),
  refused_included: Flag('as asked'),
})

export const Holding = Answer(
  {
    ...named,
    symbol: Text('display text: escape it'),
    name: Text('display text: escape it'),
    decimals: Count('decimals'),
    kind: OneOf(HOLDING_KINDS),
    amount_atoms: Atoms('balance'),
    amount: Decimal('balance'),
    priced: Flag('whether it counts in total_usd'),
    price_usd: Nullable(Usd('independent price')),
    value_usd: Nullable(Usd('balance at it')),
    mark: Nullable(
      Answer({
        source: Text('oracle_feed, pool_mid and others'),
        block: Count('read at'),
        updated_at: UnixS('last change'),
        age_s: Count('seconds since'),
        stale: Flag('whether it is too old'),
      }),
      'source and age of the price',
    ),
    unpriced: Nullable(OneOf(UNPRICED_REASONS)),
  },
  { title: 'Holding' },
)
export const Volume = Answer(
  {
    window_days: Count('30'),
    volume_usd: Usd('relayed and mined, major side'),
    tier_bps: Bps('the wallet’s major rate'),
    posted_bps: Bps('25'),
    next_tier: Nullable(
      Answer({
        bps: Bps('next rate'),
        min_30d_volume_usd: Usd('from this volume'),
        volume_to_next_usd: Usd('still missing'),
      }),
    ),
    tiers: MajorTiers,
  },
  { title: 'Volume' },
)
export const Portfolio = Answer({
  wallet: Wallet('the key’s wallet'),
  block: Count('read at'),
  read_at: UnixS('read'),
  holdings: Type.Array(Holding),
  total_usd: Usd('of priced holdings'),
  priced: Count('holdings with a price'),
  unpriced: Count('holdings without'),
  unread: Type.Array(Text('token'), { description: 'tokens whose balance could not be read' }),
  volume: Volume,
  history: Type.Optional(HistoryPoints('ours: time and total value in dollars, oldest first')),
  cached: Flag('reused from the last 5 s of the process that answers'),
})

export const MySessions = Answer({
  wallet: Wallet('the key’s wallet'),
  sessions: Type.Array(SessionSummary, { description: 'granted by the key’s wallet' }),
  as_executor: Type.Array(SessionSummary, {
    description: 'granted by other wallets to the key’s wallet as executor, once signed',
  }),
  hosted: Type.Array(
    Answer({
      id: Id('agent'),
      name: Nullable(Text('for people: escape it')),
      status: OneOf(HOSTED_STATUSES),
      strategy: OneOf(BRAINS, 'its brain'),
      mode: OneOf(HOSTED_MODES),
      live: Flag('trades for real'),
      trading: Flag('the next tick may trade'),
      pairs: Type.Array(Pair('BASE/QUOTE')),
      session_id: Nullable(Id('session')),
      pause_reason: PauseReason,
    }),
  ),
  hosted_available: Flag('whether agents could be read'),
  routes: Answer(
    {
      revoke_session: Text('ends a session'),
      pause_agent: Text('pauses an agent'),
      stop_agent: Text('stops an agent'),
    },
    { description: 'the routes that end a session or pause an agent' },
  ),
})
