-- no transaction
-- The tokens of a wallet's mined swaps: a portfolio finds them without walking through its trades.
create table if not exists traded_tokens (
  wallet text not null,
  token text not null,
  -- Of the last swap of it that was mined. It stays where that block is reorganised away: what is not held is not
  -- shown.
  last_id int8 not null,
  primary key (wallet, token)
) with (fillfactor = 80);

-- Some trades at a time, so that nothing waits for a year of them to be sorted.
do $$
declare
  first_id int8 := 0;
  newest_id int8 := (select max(id) from trades);
begin
  while first_id < newest_id loop
    perform set_config('work_mem', '64MB', true);
    insert into traded_tokens as known (wallet, token, last_id)
    select wallet, token, max(pair_id)
    from (
      select wallet, token_in, token_out, max(id) as pair_id from trades
      where id > first_id and id <= first_id + 200000 and kind = 'swap' and status = 'mined'
        and token_in is not null and token_out is not null
      group by wallet, token_in, token_out) as pairs
    cross join lateral unnest(array[token_in, token_out]) as token
    group by wallet, token order by wallet, token
    on conflict (wallet, token) do update set last_id = greatest(known.last_id, excluded.last_id);
    commit;
    first_id := first_id + 200000;
  end loop;
end $$;
