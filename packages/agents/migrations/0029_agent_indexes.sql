-- no transaction
-- Made while the tables are used: a year of agents has millions of rows. An index that was left half made is
-- dropped and made anew.
drop index concurrently if exists hosted_refunds_agent;

-- An agent's refunds are shown with it.
create index concurrently hosted_refunds_agent on hosted_refunds (agent_id, created_at_s desc, nonce desc);

drop index concurrently if exists hosted_logs_seldom;

-- Kinds that are few among thousands of decisions and trades, asked for by themselves.
create index concurrently hosted_logs_seldom on hosted_logs (agent_id, id desc)
  where kind in ('session', 'watch', 'error', 'state');

drop index concurrently if exists ai_trials_networks;

-- Trials whose network is still to be forgotten.
create index concurrently ai_trials_networks on ai_trials (started_at_s) where network is not null;
