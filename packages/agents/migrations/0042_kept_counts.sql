-- An agent's trades that were given up are summed too.
alter table hosted_trade_sums drop constraint hosted_trade_sums_status_check;
alter table hosted_trade_sums
  add constraint hosted_trade_sums_status_check check (status in ('mined', 'reverted', 'dropped'));

-- For how many agents, of how many owners, the pool paid on a day: kept with what it paid, not counted at each look.
alter table ai_pool_days
  add column agents int4 not null default 0,
  add column owners int4 not null default 0;
update ai_pool_days d set agents = counted.agents, owners = counted.owners
from (
  select day_s, count(*) as agents, count(distinct wallet) as owners from ai_pool_agents group by day_s) as counted
where counted.day_s = d.day_s;
