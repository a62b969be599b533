-- Pools without liquidity, which anybody can make by the million: a row each, not memory in every process. A
-- row is a fact, how such a pool stood after one block, and never changes: processes that are not at the same
-- block, or not on the same side of a reorg, do not disturb each other.
create table empty_pools (
  id text collate "C" not null,
  block int8 not null,
  -- Of that block: a row of a block that is no longer on the chain does not count.
  hash text collate "C" not null,
  state jsonb not null,
  primary key (id, block, hash)
);
