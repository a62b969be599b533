-- no transaction
drop index concurrently if exists league_standings_places;

-- Winners of every season, without reading all that played.
create index concurrently league_standings_places on league_standings (season)
  where board = 'prize' and row ->> 'place' is not null;

drop index concurrently if exists league_entries_of_account;

-- Whether an account ever entered: asked before it is deleted, by the sweep and by the reference.
create index concurrently league_entries_of_account on league_entries (account_id) where account_id is not
  null;
