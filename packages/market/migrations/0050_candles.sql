-- Candles of past hours and days; minutes are read from the marks.
create table candles (
  token text not null,
  interval_s int4 not null,
  start_s int8 not null,
  open float8 not null,
  high float8 not null,
  low float8 not null,
  close float8 not null,
  -- Null for a time before trades were counted.
  volume_micro_usd int8,
  primary key (token, interval_s, start_s)
);

-- Up to when each token's candles are stored; hours without a mark have none.
create table candle_cursors (
  token text primary key,
  closed_to_s int8 not null
);

-- Atoms of a token swapped in the followed pools, written with the checkpoint of the block they were counted up to.
create table pool_volumes (
  token text not null,
  minute_s int8 not null,
  atoms numeric(78, 0) not null,
  primary key (token, minute_s)
);
