-- When the co-signer settled a fill of a signed order, or it was made on paper: exits are watched from the first one.
alter table hosted_orders add column settled_at_s int8;
-- Why an attempt was held, if its code does not say it.
alter table hosted_orders add column why text;
update hosted_orders set settled_at_s = created_at_ms / 1000
  where signed_order_id is not null and status = 'filled' and (received is not null or fill_id is not null);
