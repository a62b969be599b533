-- How many trades each session has counted, kept by the store itself with every row that comes or goes: counting
-- them at each look and each trade took longer with every trade.

-- Nothing may be counted between the count and the triggers. First of all locks, as where sessions are deleted.
lock table session_trades in share row exclusive mode;
create table session_counts (
  session_id text primary key references sessions (id) on delete cascade,
  trades int8 not null
) with (fillfactor = 50);
insert into session_counts (session_id, trades)
select session_id, count(*) from session_trades group by session_id;

create function count_session_trades() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into session_counts as c (session_id, trades)
      select session_id, count(*) from changed group by session_id order by session_id
      on conflict (session_id) do update set trades = c.trades + excluded.trades;
  else
    update session_counts c set trades = c.trades - gone.trades
      from (select session_id, count(*) as trades from changed group by session_id) as gone
      where c.session_id = gone.session_id;
  end if;
  return null;
end $$;
create trigger session_trades_added after insert on session_trades
  referencing new table as changed for each statement execute function count_session_trades();
create trigger session_trades_gone after delete on session_trades
  referencing old table as changed for each statement execute function count_session_trades();

-- As before, without counting all of the session's trades.
create or replace function reserve_session_trade(
  of_session text, max_trades int4, max_day_micro_usd int8, trade_micro_usd int8, now_ms int8, day_ms int8,
  of_client text, of_request text, of_key int8, of_draft text,
  out trade_id int8, out session_status text, out trade_count int8, out day_micro_usd int8, out is_known boolean
) language plpgsql as $$
begin
  select status into session_status from sessions where id = of_session for update;
  is_known := of_client is not null
    and exists (select from session_trades where session_id = of_session and client_id = of_client);
  trade_count := coalesce((select trades from session_counts where session_id = of_session), 0);
  select coalesce(sum(micro_usd), 0) into day_micro_usd
    from session_trades where session_id = of_session and created_at_ms > now_ms - day_ms;
  if session_status = 'active' and not is_known and trade_count < max_trades
    and day_micro_usd + trade_micro_usd <= max_day_micro_usd then
    insert into session_trades (
        session_id, status, micro_usd, created_at_ms, asked_at_ms, client_id, request_hash, key_id, draft)
      values (of_session, 'asked', trade_micro_usd, now_ms, now_ms, of_client, of_request, of_key, of_draft)
      returning id into trade_id;
  end if;
end $$;
