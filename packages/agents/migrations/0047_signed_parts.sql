-- no transaction
drop index concurrently if exists hosted_orders_signed;

create index concurrently hosted_orders_signed on hosted_orders (agent_id, signed_order_id, id)
  where signed_order_id is not null;

drop index concurrently if exists hosted_orders_attempts;

-- Old attempts are deleted by age.
create index concurrently hosted_orders_attempts on hosted_orders (created_at_ms)
  where signed_order_id is not null and status in ('held', 'failed');
