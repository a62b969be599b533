-- The tokens of a wallet's mined swaps: a portfolio finds them without walking through its trades.
create table traded_tokens (
  wallet text not null,
  token text not null,
  -- Of the last swap of it that was mined. It stays where that block is reorganised away: what is not held is not
  -- shown.
  last_id int8 not null,
  primary key (wallet, token)
) with (fillfactor = 80);

insert into traded_tokens (wallet, token, last_id)
select wallet, token, max(newest_id)
from (
  select wallet, token_in, token_out, max(id) as newest_id from trades
  where kind = 'swap' and status = 'mined' and token_in is not null and token_out is not null
  group by wallet, token_in, token_out) as pairs
cross join lateral unnest(array[token_in, token_out]) as token
group by wallet, token;
