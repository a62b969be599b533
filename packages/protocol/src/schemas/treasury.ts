import { type TSchema, Type } from '@sinclair/typebox'
import {
  RECONCILIATION_ETH,
  RECONCILIATION_STATUSES,
  TREASURY_BUCKETS,
  WEEK_STATUSES,
  WEEK_TOKEN_STATUSES,
} from '../values.ts'
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
  SignedAtoms,
  Text,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'

const PerBucket = <T extends TSchema>(schema: T, description: string) =>
  Answer({ operations: schema, buybacks: schema, treasury: schema }, { description })

const token = {
  token: Wallet('all zero for ETH'),
  symbol: Text('display text'),
  decimals: Count('decimals'),
}

const WeekToken = Answer({
  ...token,
  received: Atoms('fees of relayed trades'),
  trades: Count('trades that paid them'),
  outside: Atoms('other income'),
  outside_trades: Count('transfers of it'),
  carried_in: Atoms('left over from the week before'),
  pool: Atoms('amount to split'),
  status: OneOf(WEEK_TOKEN_STATUSES),
  booked: PerBucket(Atoms('share'), 'each bucket’s share'),
  moved: PerBucket(Atoms('sent'), 'amount sent to each bucket'),
  owed_in: PerBucket(SignedAtoms('owed'), 'owed from earlier weeks; negative if more was sent'),
  owed_out: PerBucket(SignedAtoms('owed'), 'owed to later weeks: owed_in + booked - moved'),
  carried_out: Atoms('left over for the next week'),
  value_usd: Nullable(Usd('the pool at the mark')),
  mark: Nullable(
    Answer({
      price_usd: Num('of one whole token, rounded down to a millionth; 0 below 0.0001'),
      price_e18: Atoms('the same exactly, times 10^18'),
      source: Text('source'),
      at: UnixS('its minute'),
      stale: Flag('whether it is too old'),
    }),
    'the price used and its source',
  ),
})

export const TreasuryWeek = Answer(
  {
    kind: Code('week; transfer for later transfers to the buckets'),
    seq: Nullable(Count('position in the chain of rows; null in a preview')),
    status: OneOf(
      WEEK_STATUSES,
      'moved: recorded with its transfers, or a transfer row; booked: not moved yet',
    ),
    week: Answer({
      start: UnixS('Monday 00:00 UTC'),
      end: UnixS('the Monday after'),
      label: Text('2026-W05'),
      first_block: Nullable(Count('first block of the week')),
      last_block: Nullable(Count('last block of the week')),
    }),
    tokens: Type.Array(WeekToken),
    transfers: Type.Array(
      Answer({
        bucket: OneOf(TREASURY_BUCKETS),
        to: Wallet('the bucket’s wallet'),
        ...token,
        amount: Atoms('sent'),
        tx_hash: TxHash('the transfer'),
        block: Nullable(Count('its block')),
      }),
    ),
    reconciliation: Answer({
      status: Nullable(OneOf(RECONCILIATION_STATUSES), 'null in a preview that has differences'),
      accepted: Nullable(Text('why a difference was accepted')),
      ledger: Answer(
        {
          late: Count('trades of the week before that were mined in this one'),
          tokens: Type.Array(
            Answer({ token: Wallet('paid in'), fees: Atoms('in all'), trades: Count('that paid them') }),
          ),
        },
        { description: 'amount in the ledger of relayed trades' },
      ),
      eth: OneOf(RECONCILIATION_ETH, 'how ETH that came in was read'),
      counts: Answer({
        agrees: Count('trades that agree'),
        outside_ledger: Count('transfers outside the ledger'),
        differences: Count('trades that differ'),
      }),
    }),
    prev_hash: Nullable(Text('hash of the row before; null for the first and in a preview')),
    hash: Nullable(Text('SHA-256 of the row’s JSON: sorted keys, no spaces, ASCII, without hash')),
    recorded_at: Nullable(UnixS('when it was written; null in a preview')),
  },
  { title: 'TreasuryWeek' },
)

export const PrizePayout = Answer(
  {
    season: Answer({ id: Count('season number'), start: UnixS('start'), end: UnixS('end') }),
    ...token,
    stake: Answer({
      gain: SignedAtoms('the stake’s gain over the season'),
      to_reserve: Atoms('half of it, up to the ceiling'),
      kept_staked: Atoms('the rest'),
    }),
    cap: Answer({
      usd: Usd('the season’s cap'),
      partner_usd: Nullable(Usd('price used')),
      partner: Nullable(Atoms('the cap in tokens')),
    }),
    reserve: Answer({
      before: Atoms('before the season'),
      added: Atoms('added'),
      ceiling: Nullable(Atoms('three caps')),
      payout: Atoms('the season’s budget'),
      paid: Atoms('amount paid'),
      after: Atoms('what stays'),
    }),
    recipients: Type.Array(
      Answer({
        rank: Count('place'),
        agent: Text('registry agent id'),
        wallet: Wallet('the agent’s own wallet'),
        share_bps: Bps('share'),
        amount: Atoms('paid'),
        tx_hash: Nullable(TxHash('the transfer')),
      }),
    ),
    stake_withdrawal: Nullable(
      Answer({
        tx_hash: Nullable(TxHash('the withdrawal')),
        amount: Atoms('withdrawn'),
        note: Nullable(Text('note')),
      }),
    ),
    distributor: Nullable(Wallet('sender of the prizes')),
    note: Nullable(Text('note')),
  },
  { title: 'PrizePayout' },
)

export const Treasury = Answer(
  {
    platform_wallet: Nullable(Wallet('the fee recipient')),
    buckets: PerBucket(Nullable(Wallet('the bucket’s wallet')), 'null while unset: booked and held'),
    split_bps: PerBucket(Bps('share'), '5000, 4000, 1000'),
    integrity: Answer({
      ok: Flag('whether every row’s hash holds'),
      rows: Count('rows in the chain'),
      head: Nullable(Text('hash of the latest row')),
      broken_at: Nullable(Count('first broken row; it and later ones are not served')),
      why: Nullable(Text('reason it is broken')),
    }),
    weeks: Type.Array(TreasuryWeek, { description: 'newest first' }),
    totals: Type.Array(
      Answer({
        ...token,
        received: Atoms('fees of relayed trades'),
        outside: Atoms('other income'),
        trades: Count('trades'),
        held: Nullable(Atoms('in the platform wallet now; null when it cannot be read')),
        booked: PerBucket(Atoms('booked'), 'total booked'),
        moved: PerBucket(Atoms('moved'), 'total moved'),
        owed: PerBucket(SignedAtoms('owed'), 'booked and not moved'),
      }),
    ),
    prize_payouts: Type.Array(PrizePayout, { description: 'newest first; empty before the first payout' }),
    explorer_tx: Text('prefix of a transaction’s page'),
    generated_at: UnixS('when it was built'),
    cached_s: Num('seconds since'),
  },
  { title: 'Treasury' },
)
