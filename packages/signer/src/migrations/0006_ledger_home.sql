-- Which database this ledger lives in. A dump carries the row along, so a ledger that was restored elsewhere knows that
-- it may be older than what was signed since: it signs nothing until its operator says what was lost.
create table ledger_home (
  id int2 primary key check (id = 1),
  -- Of the PostgreSQL cluster, and the branch of its history: a standby that took over has another.
  system text not null,
  timeline text not null,
  database int8 not null,
  -- Of the table that counts: tables that were dropped and restored have other numbers.
  leaves int8 not null
);

-- Where the ledger is now.
create function ledger_place(out system text, out timeline text, out database int8, out leaves int8)
language sql stable as $$
  select (select system_identifier::text from pg_control_system()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    (select oid::int8 from pg_database where datname = current_database()),
    'leaves'::regclass::oid::int8
$$;

-- True before the first start wrote the row.
create function ledger_is_home() returns boolean
language sql stable as $$
  select not exists (
    select from ledger_home h, ledger_place() p
    where (h.system, h.timeline, h.database, h.leaves) is distinct from (p.system, p.timeline, p.database, p.leaves))
$$;

-- What is counted is signed: nothing is counted in a ledger that was restored under a running signer either.
create function refuse_restored_ledger() returns trigger
language plpgsql as $$
begin
  if not ledger_is_home() then
    raise exception 'the ledger was restored from a backup: nothing is signed until its operator accepts it';
  end if;
  return null;
end $$;
create trigger leaves_at_home before insert on leaves
  for each statement execute function refuse_restored_ledger();
