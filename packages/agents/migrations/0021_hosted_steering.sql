-- Open sessions of the executor when a live agent was last changed in what its owner's signature stood for: none of
-- them can be attached. Null between that change and the count.
alter table hosted_agents add column stale_sessions text[] default '{}';
