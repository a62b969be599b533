-- The token registry. What search looks through is kept narrow; the records themselves stand beside it.

create table tokens (
  address text collate "C" primary key check (address ~ '^0x[0-9a-f]{40}$'),
  -- Lower-case and normalised by the server; ordered by code point so that a prefix is a range.
  symbol_key text collate "C" not null,
  name_key text collate "C" not null,
  tier text not null,
  kind text not null,
  tradable boolean not null,
  blocked_reason text,
  risks text[] not null,
  -- Dollars of liquidity; core assets stand above all.
  rank_usd float8 not null,
  -- A proxy whose code someone can replace.
  replaceable boolean not null,
  screened_at_s int8,
  updated_at_s int8 not null
);
create index tokens_symbol on tokens (symbol_key);
create index tokens_name on tokens (name_key);
create index tokens_rank on tokens (rank_usd desc, address);
create index tokens_tier_rank on tokens (tier, rank_usd desc, address);
create index tokens_kind_rank on tokens (kind, rank_usd desc, address);
create index tokens_tier_kind_rank on tokens (tier, kind, rank_usd desc, address);
create index tokens_replaceable on tokens (address) where replaceable;

create table token_records (
  address text collate "C" primary key references tokens (address) on delete cascade,
  -- The answer, but for what depends on who asks.
  record jsonb not null,
  -- What the screen saw, so that the record can be made anew when the market moves.
  reading jsonb not null
);
