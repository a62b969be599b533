-- Expired keys and accounts without any are deleted by age.
create index api_keys_expiry on api_keys (expires_at_s);
create index api_keys_account on api_keys (account_id);
