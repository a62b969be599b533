-- no transaction
drop index concurrently if exists fees_taken;

-- What recorded weeks took up of a range of blocks; no more of ten million fees is read.
create index concurrently fees_taken on fees (block) where treasury_seq is not null;

-- Nothing asks for fees by week: the treasury goes by blocks.
drop index concurrently if exists fees_week;
