-- Signed orders that own executors registered here: a trade is planned within the bounds of its order.
create table session_orders (
  id text primary key check (id ~ '^0x[0-9a-f]{64}$'),
  session_id text not null references sessions (id) on delete cascade,
  amount_in numeric(78, 0) not null check (amount_in > 0),
  min_amount_out numeric(78, 0) not null,
  max_slippage_bps int4 not null
);
create index session_orders_session on session_orders (session_id);
