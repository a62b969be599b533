-- Orders whose budget is spent end as filled, so that they no longer count as open until they expire.
alter table orders drop constraint orders_ended_check;
alter table orders add constraint orders_ended_check check (ended in ('cancelled', 'replaced', 'filled'));
