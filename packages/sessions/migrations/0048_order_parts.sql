-- no transaction
-- The part of a signed order that a trade carries out: another call of the same part shares its count.
alter table session_trades add column if not exists order_part text;

create index concurrently if not exists session_trades_part on session_trades (session_id, order_part)
  where order_part is not null;
