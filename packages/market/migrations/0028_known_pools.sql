-- Pools are found by the logs of their creation and kept as rows, read state or not: anybody can make them by
-- the million. What has liquidity is read at one block and followed by logs from there.

drop table empty_pools;
-- The old checkpoint knows nothing of pools that were empty then, so reading starts over once.
delete from pools;
delete from market_cursor;

create table known_pools (
  id text collate "C" primary key,
  kind text not null,
  -- Where it was created.
  block int8 not null,
  -- What the creation said and never changes.
  facts text not null
);

-- Every pool created up to `block` is in known_pools; one row for each ten thousand blocks, so that a deep
-- reorg goes back to the last that is still on the chain.
create table pool_marks (
  bucket int8 primary key,
  block int8 not null,
  hash text not null
);

-- The state is the one after this block; later than the cursor's where it was read while the cursor waits.
alter table pools add column block int8 not null;
-- Of that block, where it is later than the cursor's: what was read on a chain that is gone does not count.
alter table pools add column hash text;

-- While states are being read: whose reading it is, and up to which id of known_pools it got.
alter table market_cursor add column sweep text;
alter table market_cursor add column swept_to text;
