-- As before, in one query whose plan is kept: it runs with every insert of leaves, and a function in SQL is planned each
-- time it is called.
create or replace function ledger_is_home() returns boolean
language plpgsql stable as $$
begin
  return not exists (
    select from ledger_home
    where system <> (select system_identifier::text from pg_control_system())
      or timeline <> substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
      or database <> (select oid::int8 from pg_database where datname = current_database())
      or leaves <> 'leaves'::regclass::oid::int8);
end $$;
