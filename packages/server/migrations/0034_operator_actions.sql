-- no transaction
drop index concurrently if exists operator_actions_action;

-- The last action of a kind.
create index concurrently operator_actions_action on operator_actions (action, id);
