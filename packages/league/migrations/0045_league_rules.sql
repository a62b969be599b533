-- The version of the rules a season is judged by: seasons that were opened before keep the first one.
alter table league_seasons add column rules_version int4 not null default 1;

-- The core token by which an address was first funded that never received ETH, and the next block in which its
-- core token transfers are looked for.
alter table league_funders add column token text;
alter table league_funders add column next_block int8;
