import { Type } from '@sinclair/typebox'
import {
  AMOUNTS_BASES,
  BOARDS,
  CLUSTER_LINKS,
  LEDGER_MARK_SOURCES,
  RESERVE_ESTIMATE_STATUSES,
  RESERVE_ROW_STATUSES,
  RULE_STATUSES,
  SEASON_STATES,
  WINNER_STATUSES,
} from '../values.ts'
import {
  Answer,
  Atoms,
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

export const Season = Answer(
  {
    number: Count('season number'),
    name: Text('its name'),
    starts_at: UnixS('Monday 00:00 UTC'),
    ends_at: UnixS('two weeks later'),
    starts: Text('the same, in words'),
    ends: Text('the same, in words'),
    days: Count('14'),
    state: OneOf(SEASON_STATES),
    seconds_left: Count('until it ends, or starts'),
    day: Nullable(Count('day of the season, from 1')),
    status: OneOf(SEASON_STATES, 'open, or upcoming before the first season'),
  },
  { title: 'Season' },
)

const Eligibility = Answer(
  {
    status: OneOf(RULE_STATUSES),
    eligible: Flag('may win a prize'),
    checked_at: Nullable(UnixS('checked')),
    rules: Type.Array(
      Answer({
        rule: Code('CONFIRMED, SANCTIONS and others'),
        name: Text('in words'),
        status: OneOf(RULE_STATUSES, 'flag: undecidable, or for a person to judge'),
        reason: Nullable(Text('why')),
        reviewed: Flag('decided by a person'),
      }),
    ),
  },
  { title: 'Eligibility' },
)

/** Text of other people: display as text. */
const agentText = {
  label: Text('other people’s text: escape it'),
  symbol: Nullable(Text('other people’s text: escape it')),
  name: Nullable(Text('other people’s text: escape it')),
}
const row = {
  rank: Count('place in the standings'),
  entry_id: Count('entry'),
  agent_id: Text('registry agent'),
  ...agentText,
  token: Nullable(Wallet('the agent’s token')),
  owner: Nullable(Wallet('the agent’s owner')),
  profit_usd: Nullable(Usd('null while unvalued')),
  score: Nullable(Text('profit, six decimals')),
  return_pct: Nullable(Num('profit on capital')),
  max_dd_pct: Nullable(Num('deepest fall')),
  trades: Count('trades'),
  active_days: Count('days with a trade'),
  left: Flag('left the board'),
  live: Flag('plays now'),
}
export const PrizeRow = Answer(
  {
    ...row,
    board: Type.Literal('prize'),
    kind: Type.Literal('wallet'),
    wallet: Wallet('the trading wallet'),
    cluster: Nullable(Text('owner cluster')),
    cluster_size: Count('entries in it'),
    cluster_links: Type.Array(OneOf(CLUSTER_LINKS), { description: 'reasons for the link' }),
    capital_usd: Nullable(Usd('capital at work')),
    active: Flag('traded this season'),
    unvalued: Count('trades whose price could not be read'),
    open_unpriced: Count('holdings without a mark, at cost'),
    price_outliers: Count('trades far from the mark'),
    beyond_marks_usd: Type.Optional(
      Usd(
        'profit that no independent mark confirms: ranks go by profit_usd less this. Absent in old seasons',
      ),
    ),
    valued_at: Nullable(UnixS('valued')),
    place: Nullable(Count('prize place')),
    prize_atoms: Nullable(Atoms('prize')),
    eligibility: Nullable(Eligibility),
  },
  { title: 'PrizeRow' },
)
export const PracticeRow = Answer(
  {
    ...row,
    board: Type.Literal('practice'),
    kind: OneOf(['account', 'hosted']),
    equity: Nullable(Usd('paper book’s value')),
    eligibility: Type.Null(),
    place: Type.Null(),
    prize_atoms: Type.Null(),
  },
  { title: 'PracticeRow' },
)
const Outcome = Answer({
  eligible_agents: Count('agents that may win'),
  eligible_owners: Count('owners that may win'),
  active_clusters: Count('owner clusters that traded'),
  pays: Flag('at least 10 clusters traded'),
  why: Nullable(Text('why it does not pay')),
})
export const standings = {
  board: OneOf(BOARDS),
  season: Nullable(Season),
  status: OneOf(SEASON_STATES, 'of the season'),
  rows: Type.Array(Type.Union([PrizeRow, PracticeRow])),
  outcome: Nullable(Outcome, 'null on the practice board'),
  places: Count('prize places'),
  amounts_atoms: Type.Array(Atoms('by place')),
  amounts_basis: Nullable(OneOf(AMOUNTS_BASES)),
  decided: Flag('final'),
  entrants_next: Count('entered for the next season'),
  now: UnixS('now here'),
}
export const Standings = Answer(standings, { title: 'Standings' })

const payoutFields = {
  place: Count('place'),
  entry_id: Count('entry'),
  agent_id: Text('registry agent'),
  amount: Atoms('prize'),
  status: OneOf(WINNER_STATUSES, 'planned until the transfer is mined'),
  tx_hash: Nullable(TxHash('the transfer')),
}
export const Winner = Answer(
  {
    ...payoutFields,
    symbol: Nullable(Text('other people’s text: escape it')),
    label: Text('other people’s text: escape it'),
    score: Nullable(Text('profit, six decimals')),
    profit_usd: Nullable(Usd('profit')),
  },
  { title: 'Winner' },
)
export const Payout = Answer(
  { ...payoutFields, recipient: Wallet('the agent’s own wallet') },
  { title: 'Payout' },
)
export const Withdrawal = Answer(
  {
    tx_hash: Nullable(TxHash('the withdrawal')),
    amount: Atoms('withdrawn'),
    ts: Nullable(UnixS('when')),
    note: Nullable(Text('note')),
  },
  { title: 'Withdrawal' },
)
const ledger = {
  reserve_before: Nullable(Atoms('before the season')),
  gain: Nullable(SignedAtoms('the stake’s gain')),
  half_gain: Nullable(Atoms('half of it')),
  added: Nullable(Atoms('added, up to the ceiling')),
  kept_staked: Nullable(Atoms('the rest')),
  cap: Nullable(Atoms('the season’s cap')),
  ceiling: Nullable(Atoms('three caps')),
  reserve: Nullable(Atoms('after adding')),
  budget: Nullable(Atoms('a third of it, at most the cap')),
  shares: Type.Array(Atoms('50, 30 and 20 per cent')),
  paid: Type.Array(Atoms('by place')),
  paid_total: Atoms('in all'),
  reserve_after: Nullable(Atoms('what stays')),
  cap_usd: Usd('the cap in dollars'),
  partner_usd: Nullable(Usd('price used')),
  mark_ts: Nullable(UnixS('its time')),
  mark_source: Nullable(OneOf(LEDGER_MARK_SOURCES)),
  mark_diverges: Nullable(Flag('the season’s last mark was far from the median of its last day')),
  status: OneOf(RESERVE_ROW_STATUSES),
}
export const SeasonRecord = Answer(
  {
    ...standings,
    ledger: Nullable(Answer(ledger)),
    withdrawal: Nullable(Withdrawal),
    payouts: Type.Array(Payout),
    winners: Type.Array(Winner),
    settled_at: Nullable(UnixS('ledger fixed, prizes planned')),
  },
  { title: 'SeasonRecord' },
)
export const SeasonRow = Answer(
  {
    number: Count('season number'),
    name: Text('its name'),
    status: OneOf(SEASON_STATES),
    missed: Flag('not played'),
    starts_at: UnixS('start'),
    ends_at: UnixS('end'),
    entrants: Count('prize entrants'),
    practice_entrants: Count('practice entrants'),
    decided: Flag('final'),
    winners: Type.Array(Winner),
    pays: Nullable(Flag('whether it pays')),
    why: Nullable(Text('why not')),
  },
  { title: 'SeasonRow' },
)
export const Seasons = Answer({
  seasons: Type.Array(SeasonRow, { description: 'newest first' }),
  now: UnixS('now here'),
})

export const Estimate = Nullable(
  Answer({
    status: OneOf(RESERVE_ESTIMATE_STATUSES),
    why: Type.Optional(Nullable(Text('why it is pending or incomplete'))),
    reserve_before: Nullable(Atoms('before the season')),
    gain_so_far: Nullable(SignedAtoms('the stake’s gain so far')),
    reserve: Nullable(Atoms('if it ended now')),
    budget: Nullable(Atoms('the payout if it ended now')),
    shares: Type.Array(Atoms('by place')),
    cap: Nullable(Atoms('the cap')),
    ceiling: Nullable(Atoms('three caps')),
    kept_staked: Nullable(Atoms('the rest')),
    cap_usd: Usd('the cap in dollars'),
    partner_usd: Nullable(Usd('price used')),
    mark_ts: Nullable(UnixS('its time')),
  }),
  'this season’s payout if it ended now, in token atoms',
)
const Rules = Answer(
  {
    score: Text('how the score is counted'),
    valuation: Text('how trades are valued'),
    split_pct: Type.Array(Num('share'), { description: '50, 30, 20' }),
    min_owner_clusters: Count('10: fewer, and the season does not pay'),
    prize_cap_usd: Usd('most a season pays'),
    reserve_ceiling_seasons: Count('3: the reserve holds at most so many caps'),
    copy_window_s: Count('trades that follow another entrant’s within this time are copies'),
    practice: Answer({
      book_usdg: Count('10000'),
      division: Text('assets of the practice board'),
      hosted_assets: Type.Array(Text('core symbol')),
      min_interval_s: Count('300'),
    }),
  },
  { title: 'LeagueRules' },
)
const reserveHead = {
  on: Flag('whether there is a reserve'),
  agent_id: Nullable(Text('the platform’s registry agent')),
}
export const League = Answer(
  {
    season: Nullable(Season, 'null before the first season'),
    next_season: Nullable(Season),
    entrants: Count('prize entrants'),
    practice_entrants: Count('practice entrants'),
    schedule: Answer(
      {
        first_season: Text('date of the first season’s Monday'),
        season_days: Count('14'),
        starts: Text('in words'),
        review_s: Count('between the end and the decision'),
        entered_now_plays_from: Count('season number'),
      },
      { description: 'how seasons follow each other' },
    ),
    reserve: Answer({
      ...reserveHead,
      reserve_atoms: Nullable(Atoms('the reserve')),
      cap_usd: Usd('a season’s cap'),
      estimate: Estimate,
    }),
    rules: Rules,
    past: Type.Array(SeasonRow),
    now: UnixS('now here'),
  },
  { title: 'League' },
)
export const Reserve = Answer({
  ...reserveHead,
  rows: Type.Array(
    Answer({
      season: Count('season number'),
      ...ledger,
      withdrawal: Nullable(Withdrawal),
      payouts: Type.Array(Payout),
      why: Nullable(Text('why it is incomplete')),
    }),
  ),
  estimate: Estimate,
  rules: Rules,
})
