-- Wallets that signed in, their keys, the challenges they sign and how many were issued lately.
-- Times are unix seconds: they come from the server's clock, never the database's.

create table accounts (
  id int8 generated always as identity primary key,
  wallet text not null unique check (wallet ~ '^0x[0-9a-f]{40}$'),
  created_at_s int8 not null
);

create table api_keys (
  id int8 generated always as identity primary key,
  account_id int8 not null references accounts (id),
  -- Null for a key bound to no wallet.
  wallet text check (wallet ~ '^0x[0-9a-f]{40}$'),
  -- SHA-256 of the key; the key itself is shown once and kept nowhere.
  key_sha256 bytea not null unique check (length(key_sha256) = 32),
  issued_at_s int8 not null,
  expires_at_s int8 not null,
  revoked_at_s int8
);
create index api_keys_wallet on api_keys (wallet) where revoked_at_s is null;

create table challenges (
  id int8 generated always as identity primary key,
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  purpose text not null check (purpose in ('sign-in', 'revoke-all')),
  nonce text not null unique,
  issued_at_s int8 not null,
  expires_at_s int8 not null,
  used_at_s int8
);
create index challenges_open on challenges (wallet, id) where used_at_s is null;
create index challenges_expiry on challenges (expires_at_s);

-- How many accounts or keys a window has seen, per client address (by day) and for the whole service (by hour).
create table issue_counts (
  what text not null check (what in ('account', 'key')),
  scope text not null,
  window_start_s int8 not null,
  count int8 not null,
  primary key (what, scope, window_start_s)
);
create index issue_counts_window on issue_counts (window_start_s);
