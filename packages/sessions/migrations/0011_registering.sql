-- A session whose root the co-signer was asked to take and has not said yes to, as far as is known: its answer may be
-- lost, so such a session is settled or revoked, never just forgotten.
alter table sessions drop constraint sessions_status_check;
alter table sessions add constraint sessions_status_check
  check (status in ('pending', 'registering', 'active', 'revoked'));
alter table sessions add column registering_at_s int8;
create index sessions_registering on sessions (registering_at_s) where status = 'registering';
-- Ended sessions are deleted by age.
create index sessions_ended on sessions (expires_at_s);
