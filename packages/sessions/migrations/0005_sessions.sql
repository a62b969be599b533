-- Sessions: what owners delegated, what was co-signed under it, and how it ended.

create table sessions (
  id text primary key,
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  executor text not null check (executor ~ '^0x[0-9a-f]{40}$'),
  -- A session that ran out stays as it was: its end is in expires_at_s.
  status text not null check (status in ('pending', 'active', 'revoked')),
  -- What the owner signs besides the caveats; its hash is the roots' salt.
  binding jsonb not null,
  binding_version int4 not null,
  root jsonb not null,
  root_hash text not null unique check (root_hash ~ '^0x[0-9a-f]{64}$'),
  -- The root of the curves' calls and the one that pays their fees, or nothing.
  curve_roots jsonb not null default '[]',
  -- EIP-7702: what a plain wallet signs so that its first trade gives it the delegator's code; null where it runs it.
  code_authorization jsonb,
  created_at_s int8 not null,
  expires_at_s int8 not null,
  revoked_at_s int8,
  -- When the co-signer confirmed it. Until then it is told again and again.
  signer_revoked_at_s int8
);
create index sessions_wallet on sessions (wallet, created_at_s desc);
create index sessions_executor on sessions (executor, wallet) where status = 'active';
create index sessions_pending on sessions (created_at_s) where status = 'pending';
create index sessions_untold on sessions (revoked_at_s) where status = 'revoked' and signer_revoked_at_s is null;

-- Every leaf that was co-signed or may have been: it counts, sent or not. Dollars in millionths.
create table session_trades (
  id int8 generated always as identity primary key,
  session_id text not null references sessions (id),
  -- asked: the co-signer has not answered, or its answer was lost. signed: it has counted it.
  status text not null check (status in ('asked', 'signed')),
  sequence int4,
  leaf_hash text,
  micro_usd int8 not null check (micro_usd > 0),
  created_at_ms int8 not null,
  unique (session_id, sequence)
);
create index session_trades_day on session_trades (session_id, created_at_ms) include (micro_usd);
create index session_trades_asked on session_trades (session_id, created_at_ms) where status = 'asked';

-- Counts a trade if the session is active and its limits have room, else says how it stands. One lock per session, in
-- one round trip: each statement after the lock sees what others committed before they let go of it.
create function reserve_session_trade(
  of_session text, max_trades int4, max_day_micro_usd int8, trade_micro_usd int8, now_ms int8, day_ms int8,
  out trade_id int8, out session_status text, out trades int8, out day_micro_usd int8
) language plpgsql as $$
begin
  select status into session_status from sessions where id = of_session for update;
  select count(*), coalesce(sum(micro_usd) filter (where created_at_ms > now_ms - day_ms), 0)
    into trades, day_micro_usd from session_trades where session_id = of_session;
  if session_status = 'active' and trades < max_trades and day_micro_usd + trade_micro_usd <= max_day_micro_usd then
    insert into session_trades (session_id, status, micro_usd, created_at_ms)
      values (of_session, 'asked', trade_micro_usd, now_ms) returning id into trade_id;
  end if;
end $$;

-- A set-code transaction (EIP-7702) is as it was built only with the authorizations it was built with.
alter table plan_txs add column authorizations bytea;
