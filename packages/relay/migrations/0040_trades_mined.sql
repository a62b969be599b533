-- no transaction
drop index concurrently if exists trades_mined;

-- A wallet's trades of a time, valued or not: its volume, and a season's trades, which were looked for among all it had.
create index concurrently trades_mined on trades (wallet, mined_at_s) include (volume_micro_usd)
  where mined_at_s is not null;

drop index concurrently if exists trades_volume;
