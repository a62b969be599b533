-- no transaction
-- Trades that were given up are summed like the others: an agent's were read one by one at every look, for ever.
alter table hosted_trade_sums drop constraint if exists hosted_trade_sums_status_check;

alter table hosted_trade_sums
  add constraint hosted_trade_sums_status_check check (status in ('mined', 'reverted', 'dropped'));

drop index concurrently if exists trades_hosted_dropped;

create index concurrently trades_hosted_dropped on trades (created_at_ms)
  where path = 'hosted' and kind = 'swap' and not summed and settled and status = 'dropped';

drop index concurrently if exists trades_hosted_open;

-- Without refused calls, which never left.
create index concurrently trades_hosted_open on trades (session_id)
  where path = 'hosted' and kind = 'swap' and not summed and status <> 'refused';

drop index concurrently if exists trades_hosted_unsummed;
