-- A trade that its caller named is the same trade when it is asked for again by that name, and counted once.
alter table session_trades add column client_id text;
-- What was asked for under that name, by which key.
alter table session_trades add column request_hash text;
alter table session_trades add column key_id int8;
-- The plan as it was made, and what was answered: JSON, dropped a day later.
alter table session_trades add column draft text;
alter table session_trades add column answer text;
-- When the co-signer was first asked for it; created_at_ms is when it was last.
alter table session_trades add column asked_at_ms int8;
-- Another call asked the co-signer for it too: what the first was refused may have been signed for the second.
alter table session_trades add column shared boolean not null default false;
create unique index session_trades_client on session_trades (session_id, client_id) where client_id is not null;
create index session_trades_kept on session_trades (created_at_ms) where draft is not null;

-- As before; where the name is counted already, that is said and nothing is counted.
drop function reserve_session_trade(text, int4, int8, int8, int8, int8);
create function reserve_session_trade(
  of_session text, max_trades int4, max_day_micro_usd int8, trade_micro_usd int8, now_ms int8, day_ms int8,
  -- Null where its caller did not name it.
  of_client text, of_request text, of_key int8, of_draft text,
  out trade_id int8, out session_status text, out trade_count int8, out day_micro_usd int8, out is_known boolean
) language plpgsql as $$
begin
  select status into session_status from sessions where id = of_session for update;
  is_known := of_client is not null
    and exists (select from session_trades where session_id = of_session and client_id = of_client);
  select count(*), coalesce(sum(micro_usd) filter (where created_at_ms > now_ms - day_ms), 0)
    into trade_count, day_micro_usd from session_trades where session_id = of_session;
  if session_status = 'active' and not is_known and trade_count < max_trades
    and day_micro_usd + trade_micro_usd <= max_day_micro_usd then
    insert into session_trades (
        session_id, status, micro_usd, created_at_ms, asked_at_ms, client_id, request_hash, key_id, draft)
      values (of_session, 'asked', trade_micro_usd, now_ms, now_ms, of_client, of_request, of_key, of_draft)
      returning id into trade_id;
  end if;
end $$;

-- Executors see the sessions they were granted.
create index sessions_by_executor on sessions (executor, created_at_s desc);
