-- What processes read for everybody and answer alike for seconds. Not logged: after a crash it is read again.
create unlogged table shared_texts (
  name text primary key,
  text text not null,
  -- By the store's clock.
  read_at timestamptz not null
);
