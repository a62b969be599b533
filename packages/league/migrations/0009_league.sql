-- The league: seasons, who plays, what they traded, what the chain says of them, and what was decided and paid.

-- What an account trades; the practice board takes one division only.
alter table accounts add column division text not null default 'crypto';

-- Where season 1 starts, once it was told: a store keeps to it.
create table league_start (
  only_one boolean primary key default true check (only_one),
  first_season_s int8 not null
);

-- Seasons that were opened, and those that passed without anyone opening them.
create table league_seasons (
  number int4 primary key check (number > 0),
  starts_at_s int8 not null,
  ends_at_s int8 not null,
  state text not null check (state in ('open', 'closing', 'provisional', 'decided', 'settled')),
  missed boolean not null default false,
  opened_at_s int8,
  -- When the books were valued as of the end, the places fixed, the ledger fixed.
  valued_at_s int8,
  decided_at_s int8,
  settled_at_s int8,
  -- As decided: {eligible_agents, eligible_owners, active_clusters, pays, why}.
  outcome jsonb,
  -- Full hours of the open season up to this one were looked at.
  sampled_to_s int8
);

-- Texts that were handed out to be signed. Each works once.
create table league_statements (
  nonce text primary key,
  wallet text not null,
  agent_id text not null,
  board text not null,
  kind text not null,
  entrant text not null,
  expires_at_s int8 not null,
  used_at_s int8
);
create index league_statements_wallet on league_statements (wallet, expires_at_s desc);
create index league_statements_expiry on league_statements (expires_at_s);

create table league_entries (
  id int8 generated always as identity primary key,
  board text not null check (board in ('prize', 'practice')),
  kind text not null check (kind in ('wallet', 'account', 'hosted')),
  agent_id text not null,
  -- The trading wallet, the account's or the hosted agent's owner's.
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  account_id int8 references accounts (id),
  hosted_id text references hosted_agents (id),
  from_season int4 not null check (from_season > 0),
  -- As the registry had it when it entered. Symbol and name are other people's text.
  owner text not null,
  agent_wallet text not null,
  beneficiary text not null,
  token text not null,
  symbol text not null,
  name text not null,
  proof text not null check (proof in ('signed_in', 'statement')),
  -- The owner's signed confirmation, whole: what was signed and by what.
  confirmation jsonb,
  confirmed_at_s int8,
  entered_at_s int8 not null,
  left_at_s int8,
  check ((board = 'prize') = (kind = 'wallet')),
  check ((kind = 'account') = (account_id is not null)),
  check ((kind = 'hosted') = (hosted_id is not null))
);
-- One active entry per agent and board, and one per trading wallet, account and hosted agent.
create unique index league_entries_agent on league_entries (board, agent_id) where left_at_s is null;
create unique index league_entries_prize_wallet on league_entries (wallet) where board = 'prize' and left_at_s is null;
create unique index league_entries_account on league_entries (account_id) where left_at_s is null;
create unique index league_entries_hosted on league_entries (hosted_id) where left_at_s is null;
create index league_entries_wallet on league_entries (wallet, id desc);
-- Entrants' own tokens are not traded on the practice board.
create index league_entries_token on league_entries (token) where left_at_s is null;
create index league_entries_active on league_entries (board, from_season) where left_at_s is null;

-- The book of a prize entrant in a season: kept by the trades that are final, and rebuilt from them when one came late.
create table league_books (
  season int4 not null references league_seasons (number),
  entry_id int8 not null references league_entries (id),
  book jsonb not null,
  -- What the book came to at the season's end; null before.
  numbers jsonb,
  -- Who it repeats, told at the season's end.
  copying jsonb,
  primary key (season, entry_id)
);
create index league_books_entry on league_books (entry_id, season);

-- Transactions of entrants that are final, each in the season it was mined in.
create table league_trades (
  trade_id int8 primary key references trades (id),
  season int4 not null,
  entry_id int8 not null,
  mined_at_s int8 not null,
  block int8 not null,
  -- Null for what only cost gas: approvals, and swaps that reverted.
  token_in text,
  token_out text,
  amount_in numeric(78, 0),
  amount_out numeric(78, 0),
  -- As the receipt shows; null when the node has none any more.
  gas_wei numeric(78, 0),
  -- Whether it traded the own agent's token or another entrant's.
  participant text check (participant in ('own', 'other')),
  foreign key (season, entry_id) references league_books (season, entry_id)
);
create index league_trades_book on league_trades (season, entry_id, mined_at_s, block, trade_id);
create index league_trades_participant on league_trades (season, entry_id) where participant is not null;

-- Those that became final after their season was valued: they count nowhere.
create table league_late (
  trade_id int8 primary key references trades (id),
  season int4 not null references league_seasons (number),
  refused_at_s int8 not null
);

-- Every relayed transaction up to this row was taken or is nobody's.
create table league_cursor (
  only_one boolean primary key default true check (only_one),
  after_id int8 not null
);

create table league_practice_books (
  season int4 not null references league_seasons (number),
  entry_id int8 not null references league_entries (id),
  book_id int8 not null references paper_books (id),
  primary key (season, entry_id)
);
create index league_practice_books_entry on league_practice_books (entry_id, season);

-- A person's judgement of a rule; the newest counts. Rows are only ever added.
create table league_reviews (
  id int8 generated always as identity primary key,
  season int4 not null references league_seasons (number),
  entry_id int8 not null references league_entries (id),
  rule text not null,
  status text not null check (status in ('pass', 'fail')),
  reason text not null,
  operator text not null,
  at_s int8 not null
);
create index league_reviews_season on league_reviews (season, entry_id, id);
create trigger league_reviews_kept before update or delete on league_reviews
  for each row execute function refuse_change();
create trigger league_reviews_whole before truncate on league_reviews
  for each statement execute function refuse_change();

-- Standings as they were recorded: the prize board's when it was decided, the practice board's at the end.
create table league_standings (
  season int4 not null references league_seasons (number),
  board text not null check (board in ('prize', 'practice')),
  entry_id int8 not null references league_entries (id),
  rank int4 not null,
  row jsonb not null,
  -- What was judged beside the book: confirmation, sanctions, owner, what links it to others.
  facts jsonb,
  primary key (season, board, entry_id)
);
create index league_standings_rank on league_standings (season, board, rank);

-- The platform's stake at the second a season starts and the one before ends.
create table league_stakes (
  boundary_s int8 primary key,
  -- The last block before it; null before the chain's first.
  block int8,
  principal numeric(78, 0) not null,
  gain numeric(78, 0) not null,
  -- Gains taken out since the boundary before; null while that one was not read.
  withdrawn numeric(78, 0)
);
-- The same as of now, for the estimate.
create table league_stake_now (
  only_one boolean primary key default true check (only_one),
  season int4 not null,
  gain_so_far numeric(78, 0),
  why text,
  read_at_s int8 not null
);

create table league_ledger (
  season int4 primary key references league_seasons (number),
  status text not null check (status in ('settled', 'provisional', 'incomplete')),
  why text,
  reserve_before numeric(78, 0),
  gain numeric(78, 0),
  half_gain numeric(78, 0),
  added numeric(78, 0),
  kept_staked numeric(78, 0),
  cap numeric(78, 0),
  ceiling numeric(78, 0),
  reserve numeric(78, 0),
  budget numeric(78, 0),
  shares numeric(78, 0)[] not null default '{}',
  paid numeric(78, 0)[] not null default '{}',
  paid_total numeric(78, 0) not null default 0,
  reserve_after numeric(78, 0),
  partner_price_e18 numeric(78, 0),
  mark_at_s int8,
  mark_source text check (mark_source in ('marks', 'manual')),
  updated_at_s int8 not null
);

-- Who is to get what, fixed with the ledger; mined once the chain shows the transfer.
create table league_payouts (
  season int4 not null references league_seasons (number),
  place int4 not null check (place between 1 and 3),
  entry_id int8 not null references league_entries (id),
  agent_id text not null,
  recipient text not null,
  amount numeric(78, 0) not null check (amount >= 0),
  status text not null check (status in ('planned', 'mined')),
  tx_hash text,
  block int8,
  sender text,
  -- Why the transaction that was named is not this payout.
  problem text,
  recorded_at_s int8,
  primary key (season, place)
);
create index league_payouts_open on league_payouts (season) where status = 'planned' and tx_hash is not null;
-- One transfer pays once.
create unique index league_payouts_tx on league_payouts (tx_hash, recipient) where tx_hash is not null;

create table league_withdrawals (
  season int4 primary key references league_seasons (number),
  tx_hash text,
  amount numeric(78, 0) not null check (amount >= 0),
  at_s int8,
  note text
);

-- What the registry says of an agent now.
create table league_owners (
  agent_id text primary key,
  status text not null check (status in ('read', 'gone', 'unreadable')),
  owner text,
  agent_wallet text,
  beneficiary text,
  read_at_s int8 not null
);
create index league_owners_age on league_owners (read_at_s);

-- Who first sent an address ETH. Null: it was there from the start, or a contract's doing, which links nobody. One that
-- nobody funded yet has no block, and is looked at again.
create table league_funders (
  address text primary key,
  status text not null check (status in ('pending', 'read', 'unreadable')),
  funder text,
  block int8,
  looked_at_s int8 not null
);
create index league_funders_due on league_funders (looked_at_s) where status <> 'read' or block is null;

-- Which transfers of an agent's token were looked for, up to where.
create table league_transfer_scans (
  token text not null,
  address text not null,
  next_block int8 not null,
  -- The time of the last block that was looked at.
  scanned_to_s int8 not null default 0,
  unreadable boolean not null default false,
  -- When one that could not be read was last tried.
  tried_at_s int8 not null default 0,
  primary key (token, address)
);
create index league_transfer_scans_next on league_transfer_scans (next_block);
create table league_transfers (
  token text not null,
  address text not null,
  other text not null,
  tx_hash text not null,
  block int8 not null,
  primary key (token, address, other)
);

-- One worker does the league's jobs at a time; a lease runs out when it dies.
create table league_lease (
  only_one boolean primary key default true check (only_one),
  held_by text not null,
  until_ms int8 not null
);
