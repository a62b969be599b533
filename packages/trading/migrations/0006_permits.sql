-- Permits that were asked for and wait for their signature: the second call makes the same one, at whatever process.

create table asked_permits (
  -- The wallet, the request's own words that a permit depends on, and its anchor time.
  key text primary key,
  amount_in numeric(78, 0) not null check (amount_in > 0),
  granted numeric(78, 0) not null check (granted > 0),
  expires_at_s int8 not null
);
create index asked_permits_expiry on asked_permits (expires_at_s);
