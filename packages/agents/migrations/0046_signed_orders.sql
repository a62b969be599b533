-- Lists of orders as their owners signed them. On paper two agents may have the same list, so both keys have the agent.
create table signed_lists (
  agent_id text not null references hosted_agents (id),
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  -- Null on paper.
  session_id text,
  list jsonb not null,
  signature text,
  -- The co-signer's.
  receipt jsonb,
  placed_at_ms int8 not null,
  primary key (agent_id, hash)
);
create index signed_lists_placed on signed_lists (agent_id, placed_at_ms desc);

create table signed_orders (
  agent_id text not null,
  id text not null check (id ~ '^0x[0-9a-f]{64}$'),
  list_hash text not null,
  position int4 not null,
  state text not null,
  why text,
  since_ms int8 not null,
  ended boolean not null default false,
  expires_at_s int8 not null,
  -- Of its trigger; null without one. It is met at or below the one price, or at or above the other: two columns,
  -- because the planner estimates each by itself. That of a trailing one follows its peak.
  trigger_token text,
  trigger_kind text check (trigger_kind in ('at_or_below', 'at_or_above', 'trailing')),
  below_e18 numeric(78, 0),
  above_e18 numeric(78, 0),
  trail_bps int4,
  -- Only later rounds count; null for an exit before its entry has a fill.
  watched_from_s int8,
  -- 0 before the first round; null unless trailing.
  peak_e18 numeric(78, 0),
  peak_round text,
  -- The rounds that met the trigger; null until then.
  met_rounds text[],
  primary key (agent_id, id),
  foreign key (agent_id, list_hash) references signed_lists (agent_id, hash) on delete cascade
);
create index signed_orders_open on signed_orders (agent_id) where not ended;
create index signed_orders_expiry on signed_orders (expires_at_s) where not ended;
create index signed_orders_list on signed_orders (agent_id, list_hash);
-- What a new round is compared with.
create index signed_orders_below on signed_orders (trigger_token, below_e18)
  where below_e18 is not null and not ended and met_rounds is null and watched_from_s is not null;
create index signed_orders_above on signed_orders (trigger_token, above_e18)
  where above_e18 is not null and not ended and met_rounds is null and watched_from_s is not null;
create index signed_orders_peaks on signed_orders (trigger_token, peak_e18)
  where trigger_kind = 'trailing' and not ended and met_rounds is null and watched_from_s is not null;

-- Lists that an agent's owner is asked to sign.
create table wanted_signatures (
  agent_id text not null references hosted_agents (id),
  id text not null,
  list jsonb not null,
  why text not null,
  valid_until_s int8 not null,
  asked_at_ms int8 not null,
  primary key (agent_id, id)
);

-- The parts of signed orders. `received` is what the co-signer counts, which may be less than `amount_out`.
alter table hosted_orders add column signed_order_id text;
alter table hosted_orders add column part int4;
alter table hosted_orders add column amount_in numeric(78, 0);
alter table hosted_orders add column amount_out numeric(78, 0);
alter table hosted_orders add column received numeric(78, 0);
alter table hosted_orders add column leaf_sequence int8;
