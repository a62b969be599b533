import { Type } from '@sinclair/typebox'
import { BOARDS, ENTRANT_KINDS } from '../values.ts'
import {
  AgentIdIn,
  Answer,
  AnySignature,
  Atoms,
  ByDefault,
  Count,
  Exact,
  Flag,
  Id,
  MapOf,
  Nullable,
  OneOf,
  Text,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'

export const StandingsQuery = Type.Object({
  season: Type.Optional(Type.Integer({ minimum: 0, description: 'number; default the current' })),
  board: ByDefault('prize', OneOf(BOARDS)),
})
export const SeasonParams = Type.Object({ n: Type.Integer({ minimum: 0, description: 'season number' }) })

const Board = Type.Optional(OneOf(BOARDS, 'default prize, or practice with hosted_id'))
const HostedId = Type.Optional(Id('one hosted paper agent; implies practice'))

export const StatementRequest = Exact({
  agent_id: AgentIdIn('registry agent'),
  board: Board,
  hosted_id: HostedId,
})
export const EnterRequest = Exact({
  agent_id: AgentIdIn('registry agent'),
  board: Board,
  hosted_id: HostedId,
  signature: Type.Optional(AnySignature('the owner’s, of a statement')),
  nonce: Type.Optional(Id('of that statement')),
})
export const ConfirmRequest = Exact({
  agent_id: AgentIdIn('registry agent'),
  signature: AnySignature('the owner’s, of a prize statement'),
  nonce: Id('of that statement'),
})
export const LeaveRequest = Exact({
  board: Board,
  hosted_id: Type.Optional(Id('a hosted agent')),
  agent_id: Type.Optional(AgentIdIn('the entry for this registry agent')),
})

export const Statement = Answer(
  {
    message: Text('the text the owner signs with personal_sign'),
    nonce: Text('works once, for 10 minutes, for this board and entrant'),
    expires_at: UnixS('end of the nonce'),
    agent_id: Text('registry agent'),
    board: OneOf(BOARDS),
    entrant: Text('trading wallet, account or hosted agent'),
  },
  { title: 'Statement' },
)

const entry = {
  entry_id: Count('entry'),
  board: OneOf(BOARDS),
  agent_id: Text('registry agent'),
  kind: OneOf(ENTRANT_KINDS),
  wallet: Nullable(Wallet('trading wallet')),
  hosted_id: Nullable(Id('hosted agent')),
  status: OneOf(['active', 'left']),
  from_season: Count('first season played'),
  playing: Flag('plays in the current season'),
  season: Nullable(Count('the season it plays in')),
  token: Nullable(Wallet('the agent’s token')),
  symbol: Nullable(Text('other people’s text: escape it')),
  name: Nullable(Text('other people’s text: escape it')),
  owner: Nullable(Wallet('the agent’s owner')),
  agent_wallet: Nullable(Wallet('as the registry records it')),
  proof: Text('how the owner was proven: signed_in or statement'),
  entered_at: UnixS('entered'),
  left_at: Nullable(UnixS('left')),
  confirmed: Nullable(Flag('whether the owner’s confirmation is on file; null on practice')),
}
export const Entry = Answer(entry, { title: 'Entry' })
export const Entered = Answer({ ...entry, note: Text('next step') })
export const Left = Answer({ ...entry, note: Text('it may enter again for the next season') })
export const MyEntries = Answer({ wallet: Wallet('the key’s wallet'), entries: Type.Array(Entry) })

/** The practice account's own routes, beyond the documents. */
export const PaperFill = Answer(
  {
    order_id: Count('order'),
    season: Count('season'),
    token_in: Text('core symbol'),
    token_out: Text('core symbol'),
    amount_in: Atoms('paid'),
    amount_out: Atoms('received'),
    price_usd: Nullable(Usd('of the asset')),
    fee_bps: Count('as live'),
    gas_usd: Usd('as live'),
    time: UnixS('filled'),
  },
  { title: 'PaperFill' },
)
export const PaperBook = Answer(
  {
    season: Nullable(Count('season; null between seasons')),
    balances: MapOf(Atoms('balance'), 'atoms by core symbol'),
    equity_usd: Nullable(Usd('at marks; null while a price cannot be read')),
    profit_usd: Nullable(Usd('against the starting book')),
    started_usdg: Count('10000'),
    fills: Type.Array(PaperFill, { description: 'latest first' }),
  },
  { title: 'PaperBook' },
)
