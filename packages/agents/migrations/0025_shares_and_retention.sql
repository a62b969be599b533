-- What trials took of a day's pool: the rest is for owners whose agents trade live.
alter table ai_pool_days add column trial_micro_usd int8 not null default 0 check (trial_micro_usd >= 0);
alter table ai_spend add column trial boolean not null default false;
-- The client network a trial came from, for the days it is counted; then null.
alter table ai_trials add column network text;
create index ai_trials_begun on ai_trials (started_at_s);
-- The client network an agent was made from; null after a month.
alter table hosted_agents add column made_from text;
create index hosted_agents_made_from on hosted_agents (created_at_s) where made_from is not null;
-- Old fills are deleted by age.
create index paper_fills_age on paper_fills (filled_at_ms);
