-- Where the fees went: rows that are only ever added, each with the hash of the one before, and what the chain shows.

create table treasury_rows (
  seq int8 primary key check (seq > 0),
  -- The exact text that was hashed.
  body text not null,
  hash text not null
);
create trigger treasury_rows_kept before update or delete on treasury_rows
  for each row execute function refuse_change();
create trigger treasury_rows_whole before truncate on treasury_rows
  for each statement execute function refuse_change();

-- What was recorded last. Whoever adds a row holds this one: two closings wait for each other here.
create table treasury_head (
  only_one boolean primary key default true check (only_one),
  seq int8 not null,
  hash text
);
insert into treasury_head (seq, hash) values (0, null);

-- How far the chain was read for a platform wallet, and what ETH it had there.
create table treasury_scan (
  wallet text primary key check (wallet ~ '^0x[0-9a-f]{40}$'),
  -- Everything up to this block is in the tables below.
  block int8 not null,
  block_hash text not null,
  first_block int8 not null,
  first_s int8 not null,
  -- May stay behind where a node no longer has the state of a block. Null until it was read once.
  ether_block int8,
  ether_wei numeric(78, 0),
  ether_nonce int8
);
-- The last block of each stretch of time that gets a row.
create table treasury_ends (
  wallet text not null,
  end_s int8 not null,
  last_block int8 not null,
  primary key (wallet, end_s)
);

-- What came into the platform wallet. `seq` is the row that took it up.
create table treasury_incomings (
  id int8 generated always as identity primary key,
  wallet text not null,
  token text not null,
  from_block int8 not null,
  to_block int8 not null check (to_block >= from_block),
  -- Null where only the balance of some blocks tells.
  tx_hash text,
  log_index int4,
  atoms numeric(78, 0) not null check (atoms > 0),
  how text not null check (how in ('log', 'trace', 'balance')),
  seq int8,
  check ((tx_hash is null) = (how = 'balance'))
);
create unique index treasury_incomings_once on treasury_incomings (tx_hash, token, coalesce(log_index, -1), wallet)
  where tx_hash is not null;
create index treasury_incomings_open on treasury_incomings (wallet, to_block) where seq is null;
create index treasury_incomings_ranges on treasury_incomings (wallet, to_block) where how = 'balance' and seq is null;
-- Blocks of which nobody can say any more what ETH came.
create table treasury_unread (
  wallet text not null,
  from_block int8 not null,
  to_block int8 not null,
  primary key (wallet, from_block, to_block)
);

-- The row that took a fee up; one that is booked late waits for the next.
alter table fees add column treasury_seq int8;
create index fees_untaken on fees (recipient, block) where treasury_seq is null;

-- What was sent to the buckets: a transaction counts once for each.
create table treasury_moves (
  tx_hash text not null,
  bucket text not null check (bucket in ('operations', 'buybacks', 'treasury')),
  token text not null,
  atoms numeric(78, 0) not null check (atoms > 0),
  seq int8 not null references treasury_rows (seq),
  primary key (tx_hash, bucket, token)
);
create trigger treasury_moves_kept before update or delete on treasury_moves
  for each row execute function refuse_change();
create trigger treasury_moves_whole before truncate on treasury_moves
  for each statement execute function refuse_change();
