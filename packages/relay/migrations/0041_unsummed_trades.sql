-- no transaction
drop index concurrently if exists trades_hosted_dropped;

-- Trades of agents that were given up are summed like the others: they were read one by one at every look, for ever.
create index concurrently trades_hosted_dropped on trades (created_at_ms)
  where path = 'hosted' and kind = 'swap' and not summed and settled and status = 'dropped';

drop index concurrently if exists trades_hosted_open;

-- Without refused calls, which never left.
create index concurrently trades_hosted_open on trades (session_id)
  where path = 'hosted' and kind = 'swap' and not summed and status <> 'refused';

drop index concurrently if exists trades_hosted_unsummed;
