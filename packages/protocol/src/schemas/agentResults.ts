import { Type } from '@sinclair/typebox'
import { HistoryPoints } from './history.ts'
import {
  Answer,
  Atoms,
  Bps,
  Code,
  Count,
  Flag,
  Nullable,
  Num,
  OneOf,
  Pair,
  SignedAtoms,
  Text,
  TokenName,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'

/** Decisions, trades and results of a hosted agent. */

const Side = OneOf(['buy', 'sell'])

export const AgentToken = Answer(
  {
    token: TokenName('as the owner named it: a core symbol or an address'),
    symbol: Text('display text: escape it'),
    address: Wallet('all zero for ETH'),
    decimals: Count('decimals'),
    stock: Flag('whether the issuer’s rules of stock tokens apply'),
  },
  { title: 'AgentToken' },
)

const pnl = {
  since: UnixS('counted from'),
  profit_usd: Nullable(Usd('null while a token has no price')),
  unpriced: Type.Array(TokenName('token without a price')),
  history: Type.Optional(
    HistoryPoints('ours: time and equity in dollars, oldest first; only for one agent in detail'),
  ),
}
const Flow = Answer({
  token: Wallet('all zero for ETH'),
  amount_atoms: SignedAtoms('negative if more was spent'),
})
/** By `basis`. */
export const Pnl = Type.Union(
  [
    Answer(
      {
        basis: Type.Literal('paper_book'),
        ...pnl,
        start_usd: Usd('the book it started with'),
        equity_usd: Nullable(Usd('its value now')),
        return_pct: Nullable(Num('profit on the start')),
        max_drawdown_usd: Type.Optional(Nullable(Usd('maximum drawdown; only for one agent in detail'))),
        max_drawdown_pct: Type.Optional(Nullable(Num('maximum drawdown in percent of the high'))),
        positions: Type.Array(
          Answer({
            token: Wallet('all zero for ETH'),
            symbol: Nullable(Text('display text: escape it')),
            amount_atoms: Atoms('held'),
            value_usd: Nullable(Usd('at its mark')),
          }),
        ),
      },
      { title: 'PaperPnl' },
    ),
    Answer(
      {
        basis: Type.Literal('mined_trades'),
        ...pnl,
        equity_usd: Type.Null(),
        flows: Type.Array(Flow, { description: 'received less spent in mined trades' }),
      },
      { title: 'LivePnl' },
    ),
  ],
  { title: 'Pnl' },
)

export const LiveStats = Answer(
  {
    mined: Count('trades'),
    pending: Count('trades'),
    reverted: Count('trades'),
    dropped: Count('trades'),
    volume_usd: Usd('of mined trades'),
    fees: Type.Array(Flow),
    last_trade_at: Nullable(UnixS('when')),
  },
  { title: 'LiveStats' },
)

export const LastDecision = Answer(
  {
    tick: Count('which tick'),
    at: UnixS('when'),
    reason: Text('in words'),
    orders: Type.Array(
      Answer({ pair: Pair('BASE/QUOTE'), side: Side, usd: Usd('size'), reason: Text('in words') }),
    ),
    outcome: Type.Array(
      Type.Union([
        Answer({ n: Count('which order'), outcome: Type.Literal('begun'), usd: Usd('size') }),
        Answer({
          n: Count('which order'),
          outcome: Type.Literal('held'),
          code: Code('hold code'),
          message: Text('in words'),
        }),
      ]),
      { description: 'result of each order' },
    ),
    hold: Type.Optional(Code('hold code of a tick without a decision')),
    error: Type.Optional(Code('error code of a tick without a decision')),
    errors_in_a_row: Type.Optional(Count('ticks that failed one after another')),
  },
  { title: 'LastDecision' },
)

export const LastTrade = Answer(
  {
    pair: Pair('BASE/QUOTE'),
    side: Side,
    usd: Usd('size'),
    token_in: TokenName('core symbol or address'),
    token_out: TokenName('core symbol or address'),
    amount_in: Atoms('of token_in'),
    at: UnixS('when'),
    fee_bps: Bps('paid'),
    paper: Type.Optional(Type.Literal(true, { description: 'absent for a live trade' })),
    amount_out: Type.Optional(Atoms('of a paper trade')),
    gas_usd: Type.Optional(Usd('of a paper trade')),
    amount_out_min: Type.Optional(Atoms('of a live trade')),
    tx_hash: Type.Optional(TxHash('of a live trade')),
  },
  { title: 'LastTrade' },
)

const Told = { code: Code('hold code'), message: Text('in words') }
export const NextHold = Answer(
  {
    ...Told,
    pair: Type.Optional(Pair('BASE/QUOTE; absent: all its pairs')),
    side: Type.Optional(OneOf(['buy', 'sell'], 'absent: both')),
  },
  { title: 'NextHold' },
)
export const Watch = Answer(
  {
    next_tick_at: Nullable(UnixS('null while it does not tick')),
    ticks: Count('so far'),
    holds: Type.Array(Answer(Told), { description: 'reasons that block trading' }),
    soon: Type.Array(Answer({ ...Told, at: UnixS('when') }), { description: 'what soon will' }),
  },
  { title: 'Watch' },
)
