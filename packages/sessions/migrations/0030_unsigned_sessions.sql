-- no transaction
drop index concurrently if exists sessions_unsigned;

-- Grants that were never signed are looked for every minute, among all that were.
create index concurrently sessions_unsigned on sessions (created_at_s) where root ->> 'signature' = '0x';
