-- no transaction
drop index concurrently if exists treasury_incomings_block;

-- What came in by a block, whether a row took it up or not.
create index concurrently treasury_incomings_block on treasury_incomings (to_block);

drop index concurrently if exists treasury_incomings_recorded_ranges;

-- Ranges of blocks that only a balance tells of, once a row took them up.
create index concurrently treasury_incomings_recorded_ranges on treasury_incomings (wallet, to_block)
  where how = 'balance' and seq is not null;
