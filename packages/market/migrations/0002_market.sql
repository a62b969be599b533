-- What the market knows of pools, so that a restart goes on from here instead of the first block.

create table market_cursor (
  only_one boolean primary key default true check (only_one),
  block int8 not null,
  hash text not null
);

create table pools (
  id text primary key,
  -- The state after the block the cursor names.
  state jsonb not null
);

-- One mark per token and minute: volumes and league books are valued by them.
create table marks (
  token text not null,
  minute_s int8 not null,
  -- Dollars for one whole token, times 10^18.
  price_e18 numeric(78, 0) not null check (price_e18 > 0),
  source text not null check (source in ('oracle_feed', 'twap', 'fixed')),
  block int8 not null,
  updated_at_s int8 not null,
  stale boolean not null,
  primary key (token, minute_s)
);
