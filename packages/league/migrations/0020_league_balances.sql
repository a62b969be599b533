-- Full hours of a season at which entrants' wallets were looked at. An hour without a block had nothing to look at, or
-- could not be read.
create table league_samples (
  season int4 not null references league_seasons (number),
  at_s int8 not null,
  -- The last block before that second.
  block int8,
  primary key (season, at_s)
);
-- What a wallet held then of the tokens its book may hold: atoms as decimal text, null where it could not be read.
create table league_balances (
  season int4 not null,
  entry_id int8 not null,
  at_s int8 not null,
  balances jsonb not null,
  primary key (season, entry_id, at_s),
  foreign key (season, entry_id) references league_books (season, entry_id),
  foreign key (season, at_s) references league_samples (season, at_s)
);

-- Whether the season's last mark was far from the median that its ledger is counted with.
alter table league_ledger add column mark_diverges boolean;

-- Books of seasons that are not valued yet are kept anew, with balances.
delete from league_trades where season in (select number from league_seasons where state in ('open', 'closing'));
delete from league_cursor;
update league_books b set book = jsonb_build_object('held', '{}'::jsonb, 'unmarked', '{}'::jsonb, 'basis', '{}'::jsonb,
  'brought', '0', 'left', '0', 'capital', '0', 'seen', '0', 'unseen', '0', 'gas', '0', 'trades', 0, 'days', '[]'::jsonb,
  'noGas', 0, 'unvalued', 0, 'outliers', 0, 'overMarks', '0', 'unmarkedGain', '0', 'roundTrips', 0, 'last', null,
  'sampledTo', s.starts_at_s, 'peak', '0', 'maxDdBps', 0, 'cursor', null)
from league_seasons s where s.number = b.season and s.state in ('open', 'closing');
update league_seasons set sampled_to_s = null where state in ('open', 'closing');
update league_books set numbers = numbers || '{"unseenMicroUsd": "0", "divergent": 0}'::jsonb where numbers is not null;
