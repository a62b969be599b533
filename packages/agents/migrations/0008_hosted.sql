-- Hosted agents: what they are, when they tick, what they decided and did; paper books; the operator's switches.

-- Read at every tick and every co-sign; a switch without a row stands as it does from the start (nothing killed, live on).
create table operator_switches (
  name text primary key check (name in ('kill', 'live')),
  is_on boolean not null,
  reason text,
  changed_at_s int8 not null
);
-- Everything an operator did. Rows are only ever added.
create table operator_actions (
  id int8 generated always as identity primary key,
  at_s int8 not null,
  operator text not null,
  action text not null,
  -- What was asked and what came of it; never a secret.
  details jsonb not null,
  reason text
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% keeps what it was told: rows are only added', tg_table_name;
end $$;
create trigger operator_actions_kept before update or delete on operator_actions
  for each row execute function refuse_change();
create trigger operator_actions_whole before truncate on operator_actions
  for each statement execute function refuse_change();

create table hosted_agents (
  id text primary key,
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  -- The key that made it: what it relays is stored under this id.
  key_id int8 not null,
  name text,
  brain text not null,
  params jsonb not null,
  interval_s int4 not null check (interval_s > 0),
  pairs text[] not null,
  -- Each end of the pairs once: {token, symbol, address, decimals, stock}.
  tokens jsonb not null,
  max_trade_micro_usd int8 not null check (max_trade_micro_usd > 0),
  max_day_micro_usd int8 not null check (max_day_micro_usd > 0),
  max_position_micro_usd int8 not null check (max_position_micro_usd > 0),
  mode text not null check (mode in ('paper', 'live')),
  live boolean not null default false,
  status text not null check (status in ('active', 'paused', 'stopped')),
  pause_reason jsonb,
  accept_risks text[] not null default '{}',
  shield boolean not null default false,
  policies text[],
  session_id text references sessions (id),
  executor text,
  executor_attestation jsonb,
  -- Sealed by the server's own key; null but for webhooks.
  webhook_secret bytea,
  brain_state jsonb,
  -- The own book of a paper agent; a season of the practice board has another.
  book_id int8,
  last_decision jsonb,
  last_trade jsonb,
  created_at_s int8 not null,
  stopped_at_s int8,
  deleted_at_s int8,
  -- Once stopped or deleted: when the league knew.
  left_league_at_s int8,
  -- Counts what its owner and the service changed of it, ticks aside: a change made from an older reading is made anew.
  revision int4 not null default 0,
  -- Ticks. `tick` is the last one decided. The lease is held from when a tick is queued until it ended: it keeps two
  -- workers apart, and one that runs out was a dead worker's.
  next_tick_ms int8,
  tick int8 not null default 0,
  lease_until_ms int8,
  lease_by text
);
create index hosted_agents_wallet on hosted_agents (wallet, created_at_s desc) where deleted_at_s is null;
create index hosted_agents_made on hosted_agents (wallet, created_at_s);
create index hosted_agents_due on hosted_agents (next_tick_ms) where status = 'active' and deleted_at_s is null;
create index hosted_agents_lost on hosted_agents (lease_until_ms) where lease_until_ms is not null;
create index hosted_agents_session on hosted_agents (session_id) where session_id is not null;
-- Those the league has still to hear of.
create index hosted_agents_leaving on hosted_agents (id)
  where left_league_at_s is null and (status = 'stopped' or deleted_at_s is not null);

-- The first of an agent's times after this one. Each agent has its own phase, so that many made at once do not tick at
-- once; whole intervals apart, so that what is late is skipped.
create function hosted_next_tick(id text, interval_s int4, after_ms int8) returns int8 language sql immutable as $$
  select after_ms + step - (after_ms - (hashtext(id)::int8 & 2147483647) % step) % step
  from (select interval_s * 1000::int8 as step) as steps
$$;

-- Every executor an agent ever had; a deleted agent's is still readable. The key is the signer's.
create table hosted_executors (
  executor text primary key check (executor ~ '^0x[0-9a-f]{40}$'),
  agent_id text not null references hosted_agents (id),
  owner text not null,
  attestation jsonb not null,
  created_at_s int8 not null,
  retired_at_s int8,
  closed_at_s int8,
  -- When its owner last took the word for stock tokens back, and when the signer confirmed that.
  stock_revoked_at_s int8,
  stock_revoke_told_at_s int8
);
create index hosted_executors_untold on hosted_executors (executor)
  where stock_revoked_at_s is not null and stock_revoke_told_at_s is null;
create index hosted_executors_agent on hosted_executors (agent_id, created_at_s desc);

-- A refund's signed bytes are kept before they are relayed, so that asking again gives the same. Another one exists
-- only for what reached the executor after the first was mined.
create table hosted_refunds (
  executor text not null references hosted_executors (executor),
  agent_id text not null references hosted_agents (id),
  to_wallet text not null,
  value_wei numeric(78, 0) not null,
  balance_wei numeric(78, 0) not null,
  tx_hash text not null unique,
  raw bytea not null,
  nonce int8 not null,
  gas int8 not null,
  max_fee_per_gas numeric(78, 0) not null,
  status text not null check (status in ('mined', 'reverted', 'sent', 'uncertain')),
  block int8,
  relay_error text,
  created_at_s int8 not null,
  primary key (executor, nonce)
);
create index hosted_refunds_open on hosted_refunds (created_at_s) where status in ('sent', 'uncertain');

-- The owner's word that stock tokens may be traded; one counts at a time, an old one never again.
create table hosted_stock_attestations (
  id int8 generated always as identity primary key,
  agent_id text not null references hosted_agents (id),
  executor text not null,
  session_id text not null,
  issued_s int8 not null,
  expires_s int8 not null,
  signature text not null,
  signed_at_s int8 not null,
  revoked_at_s int8,
  unique (agent_id, issued_s)
);

create table hosted_logs (
  id int8 generated always as identity primary key,
  agent_id text not null references hosted_agents (id),
  tick int8,
  at_ms int8 not null,
  kind text not null,
  code text,
  message text,
  fee_bps int4,
  fee_class text,
  fee_tier int4,
  data jsonb
);
create index hosted_logs_agent on hosted_logs (agent_id, id desc);
-- Old rows are deleted by age.
create index hosted_logs_age on hosted_logs (at_ms);

-- What a tick is about to trade, written before it acts. Of one tick each order exists once: a worker that takes over
-- finds what was begun and never begins it again.
create table hosted_orders (
  id int8 generated always as identity primary key,
  agent_id text not null references hosted_agents (id),
  tick int8 not null,
  n int4 not null,
  pair text not null,
  side text not null check (side in ('buy', 'sell')),
  micro_usd int8 not null check (micro_usd > 0),
  -- intended: nothing left yet. signed: the executor's bytes exist and are about to leave. relayed: the chain has to
  -- tell. The rest are ends.
  status text not null check (status in ('intended', 'signed', 'relayed', 'filled', 'held', 'failed')),
  code text,
  tx_hash text,
  trade_id int8,
  fill_id int8,
  created_at_ms int8 not null,
  unique (agent_id, tick, n)
);
create index hosted_orders_open on hosted_orders (agent_id) where status in ('intended', 'signed', 'relayed');
-- Old ones are deleted by age.
create index hosted_orders_age on hosted_orders (created_at_ms);
-- What counts towards max_day_usd.
create index hosted_orders_day on hosted_orders (agent_id, created_at_ms) include (micro_usd, status);

-- Paper books: of a hosted agent, or of a practice board's entrant for one season. USDG is the cash.
create table paper_books (
  id int8 generated always as identity primary key,
  -- 'hosted:<agent id>' or 'practice:<season>:<entry id>'.
  owner text not null unique,
  start_micro_usd int8 not null check (start_micro_usd > 0),
  opened_at_s int8 not null
);
alter table hosted_agents add foreign key (book_id) references paper_books (id);
create table paper_balances (
  book_id int8 not null references paper_books (id),
  token text not null,
  atoms numeric(78, 0) not null check (atoms >= 0),
  primary key (book_id, token)
);
create table paper_fills (
  id int8 generated always as identity primary key,
  book_id int8 not null references paper_books (id),
  token_in text not null,
  token_out text not null,
  -- What left and what came: fee and gas are taken from them as live trading would.
  amount_in numeric(78, 0) not null check (amount_in > 0),
  amount_out numeric(78, 0) not null check (amount_out >= 0),
  micro_usd int8 not null,
  fee_bps int4 not null,
  fee_class text not null,
  fee_tier int4 not null,
  fee_token text not null,
  fee_atoms numeric(78, 0) not null,
  -- Gas is paid from the book's USDG.
  gas_micro_usd int8 not null,
  gas_usdg_atoms numeric(78, 0) not null,
  route_id text not null,
  block int8 not null,
  filled_at_ms int8 not null
);
create index paper_fills_book on paper_fills (book_id, id desc);
-- The value of a book by the minute it was looked at; drawdown and charts are read from it.
create table paper_equity (
  book_id int8 not null references paper_books (id),
  minute_s int8 not null,
  micro_usd int8 not null,
  primary key (book_id, minute_s)
);
-- Old minutes are thinned out by age.
create index paper_equity_minute on paper_equity (minute_s);

-- What the AI brain cost. A row is written as its worst case before the call and settled after it; one that was never
-- settled keeps the worst case. Of a hold that repeats, only the first of a day is written.
create table ai_spend (
  id int8 generated always as identity primary key,
  agent_id text not null references hosted_agents (id),
  wallet text not null,
  tick int8 not null,
  at_ms int8 not null,
  -- UTC day, from its start in seconds: budgets are by day.
  day_s int8 not null,
  source text not null check (source in ('pool', 'own')),
  model text,
  status text not null check (status in ('reserved', 'ok', 'invalid', 'error', 'hold')),
  code text,
  prompt_tokens int4,
  completion_tokens int4,
  cost_micro_usd int8 not null check (cost_micro_usd >= 0),
  cost_source text check (cost_source in ('usage.cost', 'header', 'bound')),
  ms int4
);
create index ai_spend_agent on ai_spend (agent_id, id desc);
create index ai_spend_day on ai_spend (day_s, wallet) include (agent_id, source, cost_micro_usd);
-- What the pool paid of a day: the sum of its rows in ai_spend, kept beside them so that nobody has to add them up.
create table ai_pool_days (
  day_s int8 primary key,
  used_micro_usd int8 not null check (used_micro_usd >= 0)
);
-- Whom the pool paid that day.
create table ai_pool_agents (
  day_s int8 not null,
  wallet text not null,
  agent_id text not null references hosted_agents (id),
  primary key (day_s, wallet, agent_id)
);
-- The owner's own key at the gateway, sealed; null once disconnected.
create table ai_keys (
  wallet text primary key,
  sealed bytea,
  hint text,
  connected_at_s int8,
  disconnected_at_s int8
);
-- When an owner's trial of the pool began.
create table ai_trials (
  wallet text primary key,
  started_at_s int8 not null
);

-- What a live agent traded: its sessions' trades.
create index trades_hosted on trades (session_id) where path = 'hosted' and kind = 'swap';
