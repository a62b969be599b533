-- What live agents traded, summed once nothing changes it any more: it is shown at every look, and an agent may trade
-- for years. What is not summed yet is read from its trades and added.
alter table trades add column summed boolean not null default false;
create table hosted_trade_sums (
  agent_id text not null references hosted_agents (id),
  status text not null check (status in ('mined', 'reverted')),
  token_in text not null,
  token_out text not null,
  trades int8 not null,
  amount_in numeric(90, 0) not null,
  amount_out numeric(90, 0) not null,
  volume_micro_usd numeric(40, 0) not null,
  first_at_ms int8 not null,
  last_at_ms int8 not null,
  primary key (agent_id, status, token_in, token_out)
);
create table hosted_fee_sums (
  agent_id text not null references hosted_agents (id),
  token text not null,
  atoms numeric(90, 0) not null,
  primary key (agent_id, token)
);
create index trades_hosted_unsummed on trades (session_id) where path = 'hosted' and kind = 'swap' and not summed;
create index trades_hosted_due on trades (mined_at_s)
  where path = 'hosted' and kind = 'swap' and not summed and settled
    and (status = 'reverted' or (status = 'mined' and (volume_token is null or volume_micro_usd is not null)));
drop index trades_hosted;
-- Of every status, unlike the one that co-signing looks at.
create index sessions_granted_to on sessions (executor);

-- Refunds whose end nobody has seen are looked up in turn: one that never comes keeps no other waiting.
alter table hosted_refunds add column looked_at_s int8 not null default 0;
drop index hosted_refunds_open;
create index hosted_refunds_open on hosted_refunds (looked_at_s, created_at_s) where status in ('sent', 'uncertain');
