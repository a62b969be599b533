-- An id is blocked in the session that a cancellation named, and in no other.
alter table cancelled_orders drop constraint cancelled_orders_pkey;
alter table cancelled_orders add primary key (root_hash, id);
drop index cancelled_orders_by_root;
