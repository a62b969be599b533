-- Signed orders, the leaves that carry them out, and the books that brakes are judged by. Only sessions with controls
-- have rows here. Token amounts are atoms, dollars whole micro-dollars, times unix milliseconds unless they end in _s.

-- Lists as their owners signed them; never changed.
create table order_lists (
  hash text primary key check (hash ~ '^0x[0-9a-f]{64}$'),
  root_hash text not null references roots (hash),
  nonce text not null,
  list jsonb not null,
  signature text not null,
  registered_at_ms int8 not null,
  unique (root_hash, nonce)
);

create table orders (
  id text primary key check (id ~ '^0x[0-9a-f]{64}$'),
  root_hash text not null references roots (hash),
  list_hash text not null references order_lists (hash),
  position int4 not null,
  -- The order itself, or the first one of its group.
  budget_id text not null,
  -- The entry whose fills arm it.
  parent_id text,
  expires_at_s int8 not null,
  -- Null until its trigger was met; it then stays met.
  met_at_ms int8,
  ended text check (ended in ('cancelled', 'replaced')),
  ended_at_ms int8,
  check ((ended is null) = (ended_at_ms is null)),
  unique (list_hash, position)
);
create index orders_by_root on orders (root_hash, expires_at_s);
create index orders_by_budget on orders (budget_id);
create index orders_by_parent on orders (parent_id) where parent_id is not null;

-- Ids that were cancelled before they were registered: they never will be.
create table cancelled_orders (
  id text primary key check (id ~ '^0x[0-9a-f]{64}$'),
  root_hash text not null references roots (hash),
  at_ms int8 not null
);
create index cancelled_orders_by_root on cancelled_orders (root_hash);

-- One row for each leaf of a session with controls. It is reserved until the chain shows that it was not used.
create table order_leaves (
  root_hash text not null,
  sequence int4 not null,
  -- Null for a trade without a signed order.
  order_id text references orders (id),
  part int4 not null,
  token_in text not null,
  token_out text not null,
  -- Of all calls that were signed for this sequence: the largest input and the smallest minimum.
  amount_in numeric(78, 0) not null check (amount_in > 0),
  min_out numeric(78, 0) not null,
  -- The most that can have been received at the co-signer's prices; null if only the minimum counts.
  max_out numeric(78, 0),
  first_signed_at_ms int8 not null,
  -- Of the last call signed.
  expires_at_s int8 not null,
  -- Null while it may still be sent, or is not known.
  state text check (state in ('used', 'unused')),
  received numeric(78, 0),
  settled_at_ms int8,
  check ((state is null) = (settled_at_ms is null)),
  check ((state is not distinct from 'used') = (received is not null)),
  primary key (root_hash, sequence),
  foreign key (root_hash, sequence) references leaves (root_hash, sequence)
);
create index order_leaves_by_order on order_leaves (order_id, part) where order_id is not null;
create index order_leaves_unsettled on order_leaves (expires_at_s) where state is null;
create index order_leaves_open on order_leaves (root_hash) where state is null;
create index order_leaves_unsigned on order_leaves (root_hash, first_signed_at_ms)
  where order_id is null and state is distinct from 'unused';

-- What a session with breakers holds by its settled trades.
create table session_books (
  root_hash text primary key references roots (hash),
  -- Token to { atoms, cost }: in decimal digits.
  book jsonb not null,
  capital_micro_usd int8 not null,
  -- For each breaker of the binding, in its order: { buckets: [[number, best]], tripped_until_ms }.
  breakers jsonb not null,
  updated_at_ms int8 not null
);
