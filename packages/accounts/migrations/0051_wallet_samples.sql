-- Wallets that traded, with the balances their value over time is computed from.
create table wallet_samples (
  wallet text primary key,
  -- Newest relayed trade.
  traded_at_s int8 not null,
  -- Zero before the first read.
  read_at_s int8 not null default 0,
  -- Non-zero balances at that read.
  tokens text[] not null default '{}',
  atoms numeric(78, 0)[] not null default '{}',
  due_s int8 not null
) with (fillfactor = 80);
create index wallet_samples_due on wallet_samples (due_s);

-- The last trade whose wallet was added.
create table wallet_sample_cursor (
  only_one boolean primary key default true check (only_one),
  trade_id int8 not null
);
