-- Of the request that made the agent, where the caller named it by a client_id: the id of such an agent comes from
-- the wallet and that name, so a retry finds it.
alter table hosted_agents add column request_hash text;
