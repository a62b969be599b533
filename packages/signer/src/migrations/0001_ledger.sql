-- What the co-signer knows and counts. Amounts of dollars are whole micro-dollars, times unix milliseconds.

-- Roots that owners signed. All but `sequence` is written once.
create table roots (
  hash text primary key check (hash ~ '^0x[0-9a-f]{64}$'),
  session_id text not null,
  wallet text not null,
  executor text not null,
  binding jsonb not null,
  binding_nonce text not null,
  root jsonb not null,
  -- The root of the curves' calls and the one that pays their fees, with each curve's token; or nothing.
  curve_roots jsonb not null default '[]',
  curve_tokens jsonb not null default '{}',
  registered_at_ms int8 not null,
  -- The last leaf's; how many there are.
  sequence int4 not null default 0 check (sequence >= 0),
  -- The same terms under another root would have caps of their own.
  unique (wallet, binding_nonce)
);
create index roots_by_session on roots (session_id);
create index roots_by_executor on roots (executor);

-- Also of roots that were never registered here: they never will be.
create table revocations (
  root_hash text primary key check (root_hash ~ '^0x[0-9a-f]{64}$'),
  revoked_at_ms int8 not null
);

-- One row for each leaf, committed before its signature leaves. It counts whether the leaf is used or not.
create table leaves (
  root_hash text not null references roots (hash),
  sequence int4 not null check (sequence > 0),
  micro_usd int8 not null check (micro_usd > 0),
  signed_at_ms int8 not null,
  -- sha256 of target, value and calldata, with spaces between.
  execution_hash text not null,
  -- Of the call that asked for it: the same call again is none.
  call_nonce text not null unique,
  primary key (root_hash, sequence)
);
create index leaves_by_time on leaves (root_hash, signed_at_ms) include (micro_usd);

-- The operator's switch, and each time it was set.
create table state (
  id int2 primary key check (id = 1),
  frozen boolean not null
);
insert into state (id, frozen) values (1, false);
create table freezes (
  call_nonce text primary key,
  frozen boolean not null,
  at_ms int8 not null
);
