-- The processes that share this store, each with what must be the same in all of them. Times are the store's own.
create table processes (
  id int8 generated always as identity primary key,
  name text not null,
  facts jsonb not null,
  seen_at timestamptz not null default clock_timestamp()
);
